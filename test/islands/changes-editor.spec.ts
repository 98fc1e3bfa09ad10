import { expect, test, type Page } from '@playwright/test'
import type { ScriptChange } from '../../domain/script/script-config.ts'
import { complaints, serveIslands, type IslandPages } from './island-page.ts'

const changes: ScriptChange[] = [
  { selector: '.button', kind: 'text', value: 'Ships today', name: '' },
  { selector: 'h1', kind: 'style', value: '#7a4a2b', name: 'color' },
]
const hostile = '</script><script>window.hacked = true</script>"\u2028'
const sent = (page: Page) =>
  page.evaluate(() =>
    [...new FormData(document.querySelector<HTMLFormElement>('#form')!)].map(
      ([name, value]) => `${name}=${String(value)}`,
    ),
  )

let pages: IslandPages
test.beforeAll(async () => {
  pages = await serveIslands()
})
test.afterAll(() => pages.close())

test('changes are added, edited, removed, undone and redone, and the form sends them', async ({
  page,
}) => {
  const found = complaints(page)
  await pages.openAll(page, [
    { name: 'changes-editor', props: { changes, problems: {}, open: null } },
    {
      name: 'undo-redo',
      props: { form: 'form', draft: 'any', by: null, isConflict: false, isRefused: false },
    },
  ])
  await expect(page.locator('[data-alive]').first()).toBeVisible()
  const undo = page.getByRole('button', { name: 'Undo' }),
    redo = page.getByRole('button', { name: 'Redo' })
  await expect(page.locator('[data-undo="watching"]')).toBeVisible()
  await page.getByRole('button', { name: 'Add by CSS selector' }).click()
  await expect(page.getByLabel('Element (CSS selector)').last()).toBeFocused()
  await page.keyboard.type('.price')
  await page.getByLabel('What to do').last().selectOption('hide')
  expect(await sent(page)).toEqual(
    expect.arrayContaining(['changes=3', 'changes.2.selector=.price', 'changes.2.kind=hide']),
  )

  await page.locator('summary', { hasText: '.button' }).click()
  await page.locator('summary', { hasText: 'Advanced' }).first().click()
  await page.getByRole('button', { name: 'Remove this change' }).first().click()
  await expect(undo).toHaveAttribute('title', 'Undo: Removed text of .button (Ctrl+Z)')
  expect(await sent(page)).toEqual(
    expect.arrayContaining(['changes=2', 'changes.0.selector=h1', 'changes.1.selector=.price']),
  )
  await undo.click()
  await expect(page.getByText('Undone: Removed text of .button')).toBeAttached()
  expect(await sent(page)).toEqual(
    expect.arrayContaining(['changes=3', 'changes.0.value=Ships today', 'changes.1.selector=h1']),
  )
  await expect(
    page.locator('.change > details[open]'),
    'the restored change is open',
  ).toContainText('.button')

  // In a field the keys first undo typing there, then the edits before it.
  const price = page.getByLabel('Element (CSS selector)').last()
  await page.locator('summary', { hasText: '.price' }).click()
  await price.press('End')
  await page.keyboard.type('s')
  await page.keyboard.press('Control+z')
  await expect(price).toHaveValue('.price')
  await page.keyboard.press('Control+z')
  await expect(page.getByLabel('What to do').last(), 'the edit to “hide” is undone').toHaveValue(
    'text',
  )
  await page.keyboard.press('Control+Shift+Z')
  expect(await sent(page)).toEqual(
    expect.arrayContaining(['changes=3', 'changes.2.selector=.price', 'changes.2.kind=hide']),
  )
  await page.keyboard.press('Control+z')
  await undo.click()
  expect(await sent(page)).toEqual(expect.arrayContaining(['changes=3', 'changes.2.selector=']))
  await undo.click()
  expect(await sent(page)).toEqual(expect.arrayContaining(['changes=2', 'changes.1.selector=h1']))
  await expect(undo).toHaveAttribute('aria-disabled', 'true')
  for (let i = 0; i < 3; i++) await redo.click()
  await expect(redo).toHaveAttribute('aria-disabled', 'true')
  expect(await sent(page)).toEqual(
    expect.arrayContaining(['changes=3', 'changes.0.value=Ships today', 'changes.2.kind=hide']),
  )
  expect(found).toEqual([])
})

test('an invalid selector, property or value has a message at once', async ({ page }) => {
  await pages.open(page, 'changes-editor', { changes, problems: {}, open: 1 })
  await page.locator('summary', { hasText: 'Advanced' }).last().click()
  const selector = page.getByLabel('Element (CSS selector)').last()
  await selector.fill('h1 >> b')
  await expect(page.getByText('This is not a CSS selector yet.')).toBeVisible()
  await selector.fill('h1 > b')
  await expect(page.getByText('This is not a CSS selector yet.')).toHaveCount(0)
  await page.getByLabel('CSS value').fill('notacolour')
  await expect(page.getByText('This value is not valid for this property.')).toBeVisible()
  await page.getByLabel('CSS property').fill('colr')
  await expect(page.getByText('No CSS property has this name.')).toBeVisible()
})

test('text that is typed before the script has loaded is not lost', async ({ page }) => {
  let go = () => {}
  const isAsked = new Promise<void>(resolve => {
    go = resolve
  })
  await page.route('**/boot.js', async route => {
    await isAsked
    await route.continue()
  })
  await pages.open(page, 'changes-editor', { changes, problems: {}, open: 1 }, 'commit')
  const selector = page.getByLabel('Element (CSS selector)').last()
  await selector.press('Home')
  await selector.pressSequentially('main > ')
  await page.getByLabel('What to do').last().selectOption('hide')
  await selector.focus()
  await page.keyboard.press('Home')
  go()
  await expect(page.locator('[data-alive]')).toBeVisible()
  await expect(
    page.locator('.change > details > summary').last(),
    'the list has the typed text',
  ).toContainText('main > h1')
  await page.keyboard.type('body > ')
  expect(await sent(page)).toEqual(
    expect.arrayContaining([
      'changes=2',
      'changes.1.selector=body > main > h1',
      'changes.1.kind=hide',
      'changes.0.selector=.button',
    ]),
  )
})

test('a message is at its field and disappears when that field is fixed', async ({ page }) => {
  await pages.open(page, 'changes-editor', {
    changes: [{ selector: '', kind: 'text', value: 'Hi', name: '' }],
    problems: { 'changes.0.selector': 'Say which element changes.' },
    open: 0,
  })
  const selector = page.getByLabel('Element (CSS selector)')
  await expect(selector).toHaveAttribute('aria-invalid', 'true')
  await expect(selector).toHaveAccessibleDescription('Say which element changes.')
  await selector.fill('h1')
  await expect(page.getByText('Say which element changes.')).toHaveCount(0)
})

test('hostile text stays text', async ({ page }) => {
  const found = complaints(page)
  await pages.open(page, 'changes-editor', {
    changes: [{ selector: hostile, kind: 'html', value: hostile, name: '' }],
    problems: {},
    open: 0,
  })
  await page.locator('summary', { hasText: 'Advanced' }).click()
  await expect(page.getByLabel('New HTML')).toHaveValue(hostile)
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
  expect(found).toEqual([])
})

test.describe('with scripts off', () => {
  test.use({ javaScriptEnabled: false })
  test('every field is there, and the buttons send requests to the server', async ({ page }) => {
    await pages.open(page, 'changes-editor', { changes, problems: {}, open: null })
    await page.locator('.change > details > summary').last().click()
    await expect(page.getByLabel('CSS property')).toHaveValue('color')
    await page.getByRole('button', { name: 'Add by CSS selector' }).click()
    await expect(page).toHaveURL(/act=add/)
  })
})
