import { expect, type Page, test } from '@playwright/test'
import { doesShopRedirect, expectSent, saysWhoSends } from './sent-visitors.ts'
import { startStage, type Stage } from './stage.ts'
import { slowness } from '../slowness.ts'

let stage: Stage
test.beforeAll(async () => {
  stage = await startStage()
})
test.afterAll(() => stage.stop())

/** Creates and launches a redirect test. Returns its id. */
async function launched(title: string, controlUrl: string): Promise<string> {
  const { id } = await stage.call('createDraft', {
    body: { kind: 'UrlRedirect', title, controlUrl, redirectUrl: '/pages/gift-guide-2026' },
  })
  return (await stage.call('launchDraft', { params: { id } })).testId
}

test('a merchant pauses from the list, sees a hold, resumes, applies a winner and undoes it', async ({
  page,
}) => {
  test.setTimeout(120_000 * slowness)
  await stage.store({ feature_flags: '["DomTesting","PriceTesting"]' })
  const guide = await launched('Shorter gift guide', '/pages/gift-guide')
  const [live, other] = await stage.call('themes', {})
  const { id: draft } = await stage.call('createDraft', {
    body: { kind: 'Theme', title: 'A calmer theme' },
  })
  await stage.call('setControl', { params: { id: draft }, body: { themeId: live!.id } })
  await stage.call('setVariant', { params: { id: draft }, body: { themeId: other!.id } })
  await stage.call('launchDraft', { params: { id: draft } })
  await page.goto(await stage.address())

  // With the keyboard only: the row's menu, the confirmation, the act.
  const acts = page.getByRole('button', { name: 'Actions for Shorter gift guide' })
  await acts.press('Enter')
  await page.getByRole('link', { name: 'Pause…' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Pause Shorter gift guide?' })
  // Wait until the page's script has made the dialog modal: only then the focus is final.
  await expect(page.locator('dialog:modal').and(dialog)).toBeVisible()
  await dialog.getByRole('button', { name: 'Pause test' }).press('Enter')
  await expect(
    page.getByText('“Shorter gift guide” is paused. Everyone sees the control.'),
  ).toBeVisible()
  await expect(acts).toHaveCount(0)

  // The shop publishes the other theme: the theme test goes on hold, and a notice at the top of the
  // list says so.
  const publish = (id: string) => page.request.post(`${stage.shop}/admin/themes/${id}/publish`)
  await publish(other!.id)
  const notice = page.getByRole('region', { name: 'Stopped since you last looked' })
  await expect
    .poll(
      async () => {
        await page.goto(stage.app)
        return notice.count()
      },
      { timeout: 30_000 * slowness },
    )
    .toBe(1)
  await expect(notice).toContainText('“A calmer theme” is on hold')
  await notice.getByRole('button', { name: 'Resume' }).click()
  await expect(page.getByText(/on hold cannot become running.*is live now/)).toBeVisible()
  await publish(live!.id)
  await notice.getByRole('button', { name: 'Resume' }).click()
  await expect(page.getByText('“A calmer theme” runs.')).toBeVisible()
  await expect(notice).toHaveCount(0)

  // The confirmation says what applying changes in the shop. Applying control undoes it.
  await page.goto(`${stage.app}/tests/${guide}`)
  await menusFit(page)
  const more = page.locator('.page-actions summary', { hasText: 'More' })
  await more.click()
  await page.getByRole('link', { name: 'End and apply variant…' }).click()
  const apply = page.getByRole('dialog', { name: 'End and apply variant of Shorter gift guide?' })
  await expect(apply).toContainText(saysWhoSends('/pages/gift-guide', '/pages/gift-guide-2026'))
  await apply.getByRole('button', { name: 'End and apply variant' }).click()
  await expect(page.getByText(/^Variant applied \d/)).toBeVisible({ timeout: 60_000 * slowness })
  const guidePage = `${stage.shop}/pages/gift-guide`
  // The stage's script has no code, only the configuration.
  const script = async () => (await page.request.get(`${stage.shop}/assets/twinshelf.js`)).text()
  if (doesShopRedirect()) await expectSent(page, guidePage, `${guidePage}-2026`)
  else await expect.poll(script).toContain('sent:"/pages/gift-guide-2026"')
  await more.click()
  await page.getByRole('link', { name: 'Apply control…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Apply control' }).click()
  await expect(page.getByText('Variant undone, control applied')).toBeVisible({
    timeout: 60_000 * slowness,
  })
  if (doesShopRedirect()) await expectSent(page, guidePage)
  else await expect.poll(script).not.toContain('sent:')

  // The dialog names all unfinished tests.
  await page.goto(stage.app)
  await page.locator('.page-actions summary', { hasText: 'More' }).click()
  await page.getByRole('link', { name: 'End all tests…' }).click()
  const end = page.getByRole('dialog', { name: 'End this test?' })
  await expect(end).toContainText('A calmer theme')
  await end.getByRole('button', { name: 'End 1 test' }).click()
  await expect(page.getByText('One test has ended. Everyone sees the control.')).toBeVisible()
})

/** On a phone the menus of the report's actions open within the window. */
async function menusFit(page: Page): Promise<void> {
  const usual = page.viewportSize()!,
    width = 390
  await page.setViewportSize({ width, height: 844 })
  const menus = await page.locator('.page-actions > details.menu').all()
  expect(menus).toHaveLength(2)
  for (const menu of menus) {
    await menu.locator('summary').click()
    const box = (await menu.locator('.menu-list').boundingBox())!
    expect(box.x).toBeGreaterThanOrEqual(0)
    expect(box.x + box.width).toBeLessThanOrEqual(width)
    await menu.locator('summary').click()
  }
  await page.setViewportSize(usual)
}
