import { expect, test } from '@playwright/test'
import { axeFinds } from '../e2e/axe.ts'
import { complaints, serveIslands, type IslandPages } from './island-page.ts'
import {
  body,
  entry,
  label,
  middleOf,
  movePage,
  openEditor,
  pick,
  scrolled,
  sent,
  shown,
  widthOf,
} from './picker-page.ts'
import { openPickerShop, type PickerShop } from './picker-shop.ts'

let pages: IslandPages, shop: PickerShop
test.beforeAll(async () => {
  ;[pages, shop] = await Promise.all([serveIslands(), openPickerShop()])
})
test.afterAll(() => Promise.all([pages.close(), shop.close()]))
test.beforeEach(() => {
  Object.assign(shop, { body, headers: {}, editor: pages.origin, pages: 0 })
})

test('with the mouse only: an element is picked and changed in several ways, and the frame shows it at once', async ({
  page,
}) => {
  const found = complaints(page)
  shop.body = `${body}<p style="height: 3000px"><a class="more" href="/all"><b class="word">All of it</b></a></p>`
  await openEditor(page, pages, shop)
  // The page has a desktop's width, although the frame has less room.
  await expect.poll(() => widthOf(shown(page))).toBe(1280)
  await expect(page.getByText(/^1,280 px wide, shown at \d+%$/)).toBeVisible()
  await page.getByRole('button', { name: 'Pick an element' }).click()
  await expect(label(page)).toContainText('“')
  await page.mouse.move(...(await middleOf(page, 'h1')))
  await expect(label(page)).toHaveText('Heading “Ash mug”')
  await page.mouse.move(...(await middleOf(page, '.buy-button')))
  await expect(label(page)).toHaveText('Button “Add to cart”')
  await page.mouse.click(...(await middleOf(page, '.buy-button')))
  expect(await shown(page).title()).toBe('Pots')
  await expect(entry(page, 'Button “Add to cart”')).toContainText('No changes yet')

  // The fields have the browser's computed values. Each edited field becomes one change.
  const text = page.getByLabel('Text', { exact: true })
  await expect(text).toHaveValue('Add to cart')
  await expect(text).toBeFocused()
  await expect(page.getByLabel('Text size', { exact: true })).toHaveValue('15')
  await expect(page.getByLabel('Background', { exact: true })).toHaveValue('#7a4a2b')
  await text.fill('Ships today')
  await expect(shown(page).locator('.buy-button')).toHaveText('Ships today')
  // The page that is loaded for each change keeps the scroll position.
  await movePage(shown(page), 60)
  await text.fill('Ships now')
  await expect(shown(page).locator('.buy-button')).toHaveText('Ships now')
  await expect.poll(() => scrolled(shown(page))).toBe(60)
  await text.fill('Ships today')
  await expect(shown(page).locator('.buy-button')).toHaveText('Ships today')
  await expect.poll(() => scrolled(shown(page))).toBe(60)
  await movePage(shown(page), 0)
  await page.getByLabel('Text size', { exact: true }).fill('20')
  await page
    .getByRole('group', { name: 'Background: colours of your brand' })
    .getByRole('button', { name: 'Button, #0b3d4f' })
    .click()
  await expect(shown(page).locator('.buy-button')).toHaveText('Ships today')
  await expect(shown(page).locator('.buy-button')).toHaveCSS('background-color', 'rgb(11, 61, 79)')
  await expect(entry(page, 'Button “Add to cart”')).toContainText(
    '3 changes: text, text size, background',
  )
  // The contrast on this background is too low. The control's value is shown although the page
  // shows the variant.
  await page.getByLabel('Text colour', { exact: true }).fill('#335566')
  await expect(page.getByText(/^Contrast is 1\.\d:1\./)).toBeVisible()
  await expect(page.getByText('Control: 15 px')).toBeVisible()
  await expect(page.getByText('Control: #7a4a2b')).toBeVisible()
  for (const part of ['Spacing', 'Border', 'Advanced'])
    await page.locator('summary', { hasText: part }).click()
  // The test page around the islands has no heading.
  expect((await axeFinds(page)).filter(line => !line.includes('page-has-heading-one'))).toEqual([])
  await page.getByRole('button', { name: 'Reset text colour' }).click()
  await expect(page.getByLabel('Text colour', { exact: true })).toHaveValue('#ffffff')
  await page.getByLabel('Text size', { exact: true }).fill('huge')
  await expect(page.getByText('Write a number of pixels, like 16.')).toBeVisible()
  await page.getByRole('button', { name: 'Reset text size' }).click()
  await expect(shown(page).locator('.buy-button')).toHaveCSS('font-size', '15px')

  // Pick one of several similar elements, then all of them, and hide them in one step.
  await pick(page, 'li:nth-child(2)')
  await page.getByLabel('Apply to all 3 like this').check()
  await page.getByLabel('Visibility').selectOption('hidden')
  await expect(shown(page).locator('.card:visible')).toHaveCount(0)

  // A picture gets an alt text and is replaced.
  await pick(page, 'img')
  await page.getByLabel('Alt text').fill('A blue mug')
  await expect(shown(page).locator('img')).toHaveAttribute('alt', 'A blue mug')
  // The link around a word is changed in the word's controls.
  await pick(page, '.word')
  await expect(page.getByLabel('Link address')).toHaveValue('/all')
  await page.getByLabel('Link address').fill('/sale')
  await expect(shown(page).locator('.more')).toHaveAttribute('href', '/sale')
  await expect(entry(page, 'Link “All of it”')).toContainText('1 change: link')
  expect(await sent(page)).toEqual([
    'changes.0.selector=.buy-button',
    'changes.0.kind=text',
    'changes.0.name=',
    'changes.0.value=Ships today',
    'changes.1.selector=.buy-button',
    'changes.1.kind=style',
    'changes.1.name=background-color',
    'changes.1.value=#0b3d4f',
    'changes.2.selector=.card',
    'changes.2.kind=hide',
    'changes.2.name=',
    'changes.2.value=',
    'changes.3.selector=.product__photo',
    'changes.3.kind=attribute',
    'changes.3.name=alt',
    'changes.3.value=A blue mug',
    'changes.4.selector=.more',
    'changes.4.kind=attribute',
    'changes.4.name=href',
    'changes.4.value=/sale',
    'changes=5',
  ])

  await page.getByRole('button', { name: 'Side by side' }).click()
  await expect(page.frameLocator('[title^="Control of"]').locator('.buy-button')).toHaveText(
    'Add to cart',
  )
  await expect(shown(page).locator('.buy-button')).toHaveText('Ships today')
  const control = (await (await page
    .locator('[title^="Control of"]')
    .elementHandle())!.contentFrame())!
  for (const [from, other, to] of [
    [shown(page), control, 400],
    [control, shown(page), 900],
  ] as const) {
    await movePage(from, to)
    await expect.poll(() => scrolled(other)).toBe(to)
  }
  // Neither frame is cut off. When wider than their room, both scroll sideways.
  const rooms = page.locator('.frame-room')
  const hidden = () =>
    rooms.evaluateAll(all => all.map(room => room.scrollWidth - room.clientWidth))
  expect([await widthOf(control), await widthOf(shown(page)), ...(await hidden())]).toEqual([
    1280, 1280, 0, 0,
  ])
  await page.getByLabel('Zoom').selectOption('100')
  await expect(page.getByText('1,280 px wide, shown at 100%')).toBeVisible()
  await expect.poll(async () => (await hidden()).every(each => each > 300)).toBe(true)
  await rooms.last().evaluate(room => {
    room.scrollLeft = 200
  })
  await expect.poll(() => rooms.first().evaluate(room => room.scrollLeft)).toBe(200)
  await page.getByRole('radio', { name: 'Phone' }).check({ force: true })
  await expect.poll(() => widthOf(shown(page))).toBe(390)
  expect(found).toEqual([])
})

test('an element is dragged, moved by keys and buttons, and a new one is inserted beside it', async ({
  page,
}) => {
  const found = complaints(page)
  await openEditor(page, pages, shop)
  const stand = (...order: string[]) =>
    expect(shown(page).locator(`main:has(> ${order.join(' + ')})`)).toBeVisible()
  // Drag with the mouse to below the button.
  await page.getByRole('button', { name: 'Pick an element' }).click()
  await expect(label(page)).toContainText('“')
  await page.mouse.move(...(await middleOf(page, '.product__note')))
  await page.mouse.down()
  const { x, y, height } = (await shown(page).locator('.buy-button').boundingBox())!
  await page.mouse.move(x + 10, y + height / 2 + 4, { steps: 3 })
  await page.mouse.move(x + 10, y + height - 2, { steps: 3 })
  await page.mouse.up()
  await expect(entry(page, 'Paragraph “Fired twice”')).toContainText('1 change: move')
  await stand('h1', 'img', 'button', 'p', 'ul')
  await expect(page.getByText('Now after Button “Add to cart”')).toBeVisible()
  await expect(page.getByLabel('Text', { exact: true })).toBeFocused()
  // Move one step up with the button in the panel, once more, and reset.
  await page.getByRole('button', { name: 'Move up' }).click()
  await stand('h1', 'img', 'p', 'button', 'ul')
  await expect(
    entry(page, 'Paragraph “Fired twice”'),
    'an element back in its place has no change',
  ).toContainText('No changes yet')
  await page.getByRole('button', { name: 'Move up' }).click()
  await stand('h1', 'p', 'img', 'button', 'ul')
  await page.getByRole('button', { name: 'Reset position' }).click()
  await stand('h1', 'img', 'p', 'button', 'ul')

  // With the keyboard only: move the heading down one place.
  await page.getByRole('button', { name: 'Pick an element' }).focus()
  await page.keyboard.press('Enter')
  await expect(label(page)).toContainText('“')
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowDown')
  await expect(label(page)).toHaveText('Heading “Ash mug”')
  await page.keyboard.press('Alt+ArrowDown')
  await stand('img', 'h1', 'p', 'button', 'ul')

  // Insert a badge next to the button, in the brand style.
  await page.locator('summary', { hasText: 'Insert' }).click()
  await page.getByRole('button', { name: 'Badge' }).click()
  await expect(label(page)).toContainText('“')
  await page.mouse.click(...(await middleOf(page, '.buy-button')))
  const inserted = page.getByRole('region', { name: 'Inserted: Badge' })
  await inserted.getByLabel('Text').fill('Ships <today>')
  await expect(shown(page).locator('.buy-button + [data-twinshelf=badge]')).toHaveText(
    'Ships <today>',
  )
  await expect(shown(page).locator('[data-twinshelf=badge]')).toHaveCSS(
    'background-color',
    'rgb(11, 61, 79)',
  )
  await inserted.getByLabel('Place').selectOption('insertBefore')
  await expect(shown(page).locator('[data-twinshelf=badge] + .buy-button')).toBeVisible()

  // Check page by page which pages have the elements.
  await page.getByRole('button', { name: 'Check on 2 pages' }).click()
  await expect(page.getByText('1 changed element is missing on some pages.')).toBeVisible()
  await expect(page.getByText('Not found on /about.')).toBeVisible()
  expect(await sent(page)).toContain('changes.0.value=.product__photo')
  expect(found).toEqual([])
})
