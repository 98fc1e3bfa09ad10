import { AxeBuilder } from '@axe-core/playwright'
import { expect, test } from '@playwright/test'
import { goals } from '../../domain/goal.ts'
import { listTabSlugs, paths } from '../../domain/paths.ts'
import { draftSteps } from '../../domain/draft-steps.ts'
import { createDraft, openApp } from './merchant.ts'
import { startProduct, type Product } from './product.ts'

let product: Product
test.beforeAll(async () => {
  test.setTimeout(240_000)
  product = await startProduct({ DEMO_DATA: 'on' })
})
test.afterAll(() => product.stop())

for (const colorScheme of ['light', 'dark'] as const)
  test(`axe finds nothing on any route, ${colorScheme}`, async ({ page }) => {
    test.setTimeout(420_000)
    await page.emulateMedia({ colorScheme })
    const app = await openApp(page, product)
    const reports = new Set<string>()
    for (const tab of ['Active', 'Ended'] as const) {
      await page.goto(product.app + paths.tests(tab))
      for (const link of await page.locator('tbody a[href*="/tests/"]').all()) reports.add(new URL((await link.getAttribute('href'))!, product.app).pathname)
    }
    expect(reports.size, 'the demo data has three tests').toBe(3)
    const drafts: string[] = []
    for (const kind of ['page element', 'URL redirect'] as const) {
      await openApp(page, product)
      await createDraft(app, kind, `Draft of a ${kind}`)
      drafts.push(new URL(page.frames()[1]!.url()).pathname)
    }
    const routes = [
      paths.home(), ...Object.values(listTabSlugs).map(slug => `/tests/list/${slug}`), '/tests/list/running?search=nothing-like-it',
      paths.draft(), ...drafts.flatMap(draft => Object.keys(draftSteps).map(step => `${draft}?step=${step}`)),
      ...[...reports].flatMap(report => Object.values(goals).map(({ short }) => `${report}?goal=${short.toLowerCase()}`)),
      paths.recommendations(), paths.settings(), paths.authMissing(), paths.error(), paths.help(), '/nothing/here',
    ]
    const found: string[] = []
    for (const route of routes) {
      await page.goto(product.app + route)
      const { violations } = await new AxeBuilder({ page }).exclude('iframe').analyze()
      found.push(...violations.map(({ id, nodes }) => `${route}: ${id} at ${nodes.map(node => node.target.join(' ')).join(', ')}`))
    }
    expect(found).toEqual([])
  })
