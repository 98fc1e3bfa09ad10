import { expect, test, type Locator, type Page } from '@playwright/test'
import { axeFinds } from '../axe.ts'
import { launchRedirect, startStage, type Stage } from '../stage.ts'
import { watchRequests } from '../../quiet-network.ts'
import { slowness } from '../../slowness.ts'

let stage: Stage
let report: string
let draft: string
test.beforeAll(async () => {
  test.setTimeout(120_000 * slowness)
  stage = await startStage()
  report = `/tests/${await launchRedirect(stage)}`
  draft = `/tests/draft/edit/${(await stage.call('createDraft', { body: { kind: 'UrlRedirect', title: 'Later' } })).id}`
})
test.afterAll(() => stage.stop())

/** Signs in, and collects what the console complains about. */
async function signIn(page: Page): Promise<string[]> {
  const found: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') found.push(message.text())
  })
  page.on('pageerror', error => found.push(error.message))
  await page.goto(await stage.address())
  return found
}
const isModal = (dialog: Locator) =>
  expect.poll(() => dialog.evaluate(element => element.matches(':modal'))).toBe(true)
const more = (page: Page) => page.locator('.page-actions summary', { hasText: 'More' })
const island = /\/built\/(islands|react|modal)-/

test('the first dialog loads its code; Escape and the link close it, and the focus goes back', async ({
  page,
}) => {
  const found = await signIn(page),
    requests = watchRequests(page),
    loaded: string[] = []
  page.on('request', request => loaded.push(request.url()))
  await page.goto(`${stage.app}/settings/uninstall`)
  await requests.quiet()
  expect(loaded.filter(url => island.test(url))).toEqual([])
  const opener = page.getByRole('button', { name: 'Uninstall Twinshelf' }),
    dialog = page.getByRole('dialog', { name: /^Uninstall Twinshelf from/ })
  for (const close of [
    () => page.keyboard.press('Escape'),
    () => dialog.getByRole('link', { name: 'Keep Twinshelf' }).click(),
  ]) {
    await opener.click()
    await isModal(dialog)
    expect(await axeFinds(page)).toEqual([])
    await close()
    await expect(dialog).toBeHidden()
    await expect(opener).toBeFocused()
  }
  expect(loaded.filter(url => island.test(url))).toHaveLength(3)
  expect(new URL(page.url()).search).toBe('')

  // A menu closes below the dialog, and gets the focus when the dialog has closed.
  await page.goto(stage.app + report)
  await more(page).press('Enter')
  await page.getByRole('link', { name: 'Delete…' }).press('Enter')
  const asked = page.getByRole('dialog', { name: 'Shorter gift guide is running' })
  await isModal(asked)
  await page.keyboard.press('Escape')
  await expect(asked).toBeHidden()
  await expect(more(page)).toBeFocused()
  await expect(page.getByRole('link', { name: 'Delete…' })).toBeHidden()
  expect(found).toEqual([])
})

test('closing asks when something typed is not saved', async ({ page }) => {
  const found = await signIn(page)
  await page.goto(stage.app + report)
  const opener = page.getByRole('link', { name: 'Edit name and hypothesis' }),
    dialog = page.getByRole('dialog', { name: 'Name and hypothesis' }),
    question = page.getByRole('alertdialog', { name: 'Close anyway?' }),
    hypothesis = dialog.getByRole('textbox', { name: 'Hypothesis' })
  await opener.click()
  await isModal(dialog)
  // Nothing was typed: it closes at once.
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await opener.click()
  await hypothesis.fill('Shorter pages sell more.')
  await page.keyboard.press('Escape')
  await expect(question).toContainText('You typed something that is not saved.')
  expect(await axeFinds(page)).toEqual([])
  // Escape answers no, however often it is pressed.
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press('Escape')
    await expect(question).toBeHidden()
    await expect(hypothesis).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(question).toBeVisible()
  }
  await question.getByRole('button', { name: 'Keep editing' }).click()
  await expect(hypothesis).toHaveValue('Shorter pages sell more.')
  await dialog.getByRole('link', { name: 'Cancel' }).click()
  await question.getByRole('button', { name: 'Close without saving' }).click()
  await expect(dialog).toBeHidden()
  await expect(opener).toBeFocused()
  await opener.click()
  await expect(hypothesis, 'what was not saved is gone').toHaveValue('')

  // The server refuses a form and sends the dialog open: what it holds is still not saved.
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill(' ')
  await hypothesis.fill('Typed before the refusal')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Give the test a name.')).toBeVisible()
  await isModal(dialog)
  await dialog.getByRole('link', { name: 'Cancel' }).click()
  await question.getByRole('button', { name: 'Close without saving' }).click()
  await expect(page).toHaveURL(stage.app + report)
  await expect(dialog).toBeHidden()
  expect(found.filter(text => !text.includes('422'))).toEqual([])
})

test('an address with a dialog opens it over the page; closing leaves the page without it', async ({
  page,
}) => {
  const found = await signIn(page)
  for (const [ask, name, opener] of [
    [
      'details',
      'Name and hypothesis',
      page.getByRole('link', { name: 'Edit name and hypothesis' }),
    ],
    ['schedule', 'Schedule', more(page)],
    ['pause', 'Pause Shorter gift guide?', page.getByRole('link', { name: 'Pause', exact: true })],
    ['apply-variant', 'End and apply variant of Shorter gift guide?', more(page)],
  ] as const) {
    await page.goto(`${stage.app}${report}?ask=${ask}`)
    const dialog = page.getByRole('dialog', { name })
    await isModal(dialog)
    await page.keyboard.press('Escape')
    await expect(dialog, ask).toBeHidden()
    await expect(page, ask).toHaveURL(stage.app + report)
    await expect(opener, ask).toBeFocused()
  }
  await page.goto(`${stage.app}${draft}?step=goal&ask=delete`)
  const dialog = page.getByRole('dialog', { name: 'Delete Later?' })
  await isModal(dialog)
  await dialog.getByRole('link', { name: 'Keep it' }).click()
  await expect(dialog).toBeHidden()
  await expect(page).toHaveURL(`${stage.app}${draft}?step=goal`)
  expect(found).toEqual([])
})

test('a dialog opens over another one, and each closes by itself', async ({ page }) => {
  const found = await signIn(page)
  const { id } = await stage.call('createAudience', {
    body: { name: 'Germans', values: { 7: { operator: 'Equals', value: 'DE' } } },
  })
  await page.goto(`${stage.app}${draft}?step=split&audience=${id}`)
  const audience = page.getByRole('dialog', { name: 'Edit audience “Germans”' }),
    deletion = page.getByRole('dialog', { name: 'Delete audience “Germans”?' }),
    opener = audience.getByRole('link', { name: 'Delete audience' })
  await isModal(audience)
  await opener.click()
  await isModal(deletion)
  expect(await axeFinds(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(deletion).toBeHidden()
  await expect(audience).toBeVisible()
  await expect(opener).toBeFocused()
  await audience.getByRole('textbox', { name: 'Name' }).fill('Austrians')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Close without saving' }).click()
  await expect(audience).toBeHidden()
  await expect(page).toHaveURL(`${stage.app}${draft}?step=split`)
  expect(found).toEqual([])
})

test('a dialog opens also when its code has loaded before what starts it', async ({ page }) => {
  await signIn(page)
  let load = () => {}
  const held = new Promise<void>(resolve => (load = resolve))
  await page.route('**/built/roots-*.js', async route => {
    await held
    await route.continue()
  })
  await page.goto(`${stage.app}/settings/uninstall`)
  const opener = page.getByRole('button', { name: 'Uninstall Twinshelf' }),
    code = page.waitForResponse(/\/built\/modal-/)
  await opener.hover()
  await (await code).finished()
  await opener.click()
  await expect(page.locator('#modal')).toBeAttached()
  load()
  await isModal(page.getByRole('dialog', { name: /^Uninstall Twinshelf from/ }))
})

test('without the island’s code the link asks the server for the dialog', async ({ page }) => {
  await signIn(page)
  await page.route('**/built/islands-*.js', route => route.abort())
  await page.goto(stage.app + report)
  await page.getByRole('link', { name: 'Pause', exact: true }).click()
  await expect(page).toHaveURL(`${stage.app}${report}?ask=pause`)
  const dialog = page.getByRole('dialog', { name: 'Pause Shorter gift guide?' })
  await isModal(dialog)
  await dialog.getByRole('link', { name: 'Keep running' }).click()
  await expect(page).toHaveURL(stage.app + report)
})

test('without script, links open and close every dialog, and forms keep what was typed', async ({
  browser,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(await stage.address())
  await page.goto(stage.app + report)
  for (const [menu, link, name, keep] of [
    [null, 'Edit name and hypothesis', 'Name and hypothesis', 'Cancel'],
    [null, 'Pause', 'Pause Shorter gift guide?', 'Keep running'],
    [null, 'End test', 'End Shorter gift guide?', 'Keep running'],
    ['More', 'Schedule…', 'Schedule', 'Cancel'],
    ['More', 'Delete…', 'Shorter gift guide is running', 'Keep running'],
    ['More', 'End and apply variant…', 'End and apply variant of Shorter gift guide?', 'Not now'],
  ] as const) {
    if (menu) await more(page).click()
    await page.getByRole('link', { name: link, exact: true }).click()
    const dialog = page.getByRole('dialog', { name })
    await expect(dialog, link).toBeVisible()
    await dialog.getByRole('link', { name: keep }).click()
    await expect(dialog, link).toBeHidden()
    await expect(page, link).toHaveURL(stage.app + report)
  }
  await page.getByRole('link', { name: 'Edit name and hypothesis' }).click()
  await page.getByRole('textbox', { name: 'Hypothesis' }).fill('Shorter pages sell more.')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  expect(
    (await stage.call('test', { params: { id: report.slice(7) } })).hypothesisDescription,
  ).toBe('Shorter pages sell more.')

  await page.goto(`${stage.app}${draft}?step=goal`)
  await page.getByLabel('More', { exact: true }).click()
  await page.getByRole('link', { name: 'Delete draft' }).click()
  await page.getByRole('link', { name: 'Keep it' }).click()
  await expect(page).toHaveURL(`${stage.app}${draft}?step=goal`)

  await page.goto(`${stage.app}/settings/billing`)
  await page.getByRole('link', { name: 'Compare plans' }).click()
  const compare = page.getByRole('dialog', { name: 'Compare plans' })
  await expect(compare.getByRole('row', { name: /Lift Assist/ })).toBeVisible()
  await compare.getByRole('link', { name: 'Close' }).click()
  await expect(compare).toBeHidden()

  await page.goto(`${stage.app}/settings/uninstall`)
  const reason = page.getByRole('textbox', { name: 'What should we have done better?' })
  await reason.fill('Too many dialogs')
  await page.getByRole('button', { name: 'Uninstall Twinshelf' }).click()
  const uninstall = page.getByRole('dialog', { name: /^Uninstall Twinshelf from/ })
  await expect(uninstall).toBeVisible()
  await expect(reason, 'the form comes back as it was').toHaveValue('Too many dialogs')
  await uninstall.getByRole('link', { name: 'Keep Twinshelf' }).click()
  await expect(uninstall).toBeHidden()
  await context.close()
})
