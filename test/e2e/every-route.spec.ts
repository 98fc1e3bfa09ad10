import { readFileSync } from 'node:fs'
import { expect, test, type Page } from '@playwright/test'
import { axeFinds } from './axe.ts'
import { boxFaults } from './boxes.ts'
import { startStage, type Stage } from './stage.ts'
import { slowness } from '../slowness.ts'

/**
 * Checks every page in every state of a store that shows it: axe finds no violation, nothing is cut
 * off on any screen, and the keyboard reaches every control.
 */
type Row = { path: string; guard: string } & Record<string, string | number>
const { pages } = JSON.parse(readFileSync('test/cases/routes.json', 'utf8')) as { pages: Row[] }
const subscribed = {
  has_subscribed: true,
  plan_id: 'advanced-100k-monthly',
  subscription_status: 'Active',
  status: 'installed',
  reinstall: false,
} as const
const states = {
  onboarded: { ...subscribed, onboarded: true },
  new: {
    ...subscribed,
    onboarded: false,
    has_subscribed: false,
    plan_id: null,
    subscription_status: null,
  },
  planned: { ...subscribed, onboarded: false },
  lockedOut: { ...subscribed, onboarded: true, subscription_status: 'Cancelled' },
} as const

let stage: Stage
const ids: Record<string, string> = { listTab: 'running', pattern: 'Product' }
test.beforeAll(async () => {
  test.setTimeout(120_000 * slowness)
  stage = await startStage()
  const draft = await stage.call('createDraft', {
    body: { kind: 'UrlRedirect', title: 'A draft to look at' },
  })
  const element = await stage.call('createDraft', {
    body: { kind: 'PageElement', title: 'A test to look at' },
  })
  await stage.call('setDomSelectors', {
    params: { id: element.hypotheses.find(h => h.arm === 'variant')!.id },
    body: {
      domSelectors: [
        {
          id: '',
          urlPatterns: ['/products/*'],
          actions: [
            { selector: '.product-form__submit', kind: 'text', value: 'Ships today', name: '' },
          ],
        },
      ],
    },
  })
  Object.assign(ids, {
    draftId: draft.id,
    testId: (await stage.call('launchDraft', { params: { id: element.id } })).testId,
  })
})
test.afterAll(() => stage.stop())

const pathsOf = (path: string): string[] => {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => ids[name]!)
  return filled.endsWith('?') ? [filled.replace(/\/[^/]+\?$/, ''), filled.slice(0, -1)] : [filled]
}

for (const [state, columns] of Object.entries(states)) {
  const shown = pages.filter(({ guard, path, [state]: answer }) =>
    guard === 'store'
      ? answer === 200
      : state === 'onboarded' &&
        guard !== 'admin' &&
        typeof answer === 'number' &&
        path !== '/login',
  )
  test(`pages of a store that is ${state}: axe finds no violation, nothing is cut off, and the keyboard reaches every control`, async ({
    page,
  }) => {
    test.setTimeout(300_000 * slowness)
    await stage.store(columns)
    await page.goto(await stage.address())
    const found: string[] = []
    for (const path of shown.flatMap(row => pathsOf(row.path))) {
      await page.goto(stage.app + path)
      expect(new URL(page.url()).pathname, path).toBe(path)
      found.push(...(await axeFinds(page)), ...(await boxFaults(page)))
      found.push(
        ...(await unreached(page)).map(what => `${path}: the keyboard does not reach ${what}`),
      )
    }
    expect(found).toEqual([])
  })
}

/**
 * Visible controls that Tab does not reach. In a group of radio buttons Tab reaches one, which is
 * enough.
 */
async function unreached(page: Page): Promise<string[]> {
  const count = await page.evaluate(() => {
    const acts = [
      ...document.querySelectorAll<HTMLElement>(
        'a[href], button, input, select, textarea, summary, [tabindex="0"]',
      ),
    ].filter(
      el =>
        el.checkVisibility({ visibilityProperty: true }) &&
        !el.closest('iframe, [aria-hidden=true]') &&
        !(el as HTMLButtonElement).disabled &&
        !(el instanceof HTMLInputElement && (el.type === 'hidden' || el.type === 'radio')),
    )
    acts.forEach((el, i) => {
      el.dataset['reach'] = String(i)
    })
    document.addEventListener('focusin', ({ target }) => {
      delete (target as HTMLElement).dataset['reach']
    })
    ;(document.activeElement as HTMLElement | null)?.blur()
    return acts.length
  })
  for (let i = 0; i < count + 15; i++) await page.keyboard.press('Tab')
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('[data-reach]')].map(el =>
      el.outerHTML.slice(0, 120),
    ),
  )
}
