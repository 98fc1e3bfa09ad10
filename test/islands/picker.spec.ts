import { expect, test, type Frame, type Page } from '@playwright/test'
import { brandPalette } from '../../domain/brand-palette.ts'
import type { BrandStyle } from '../../domain/brand-style.ts'
import { pieceLook } from '../../domain/page-piece.ts'
import type { ScriptChange } from '../../domain/script-config.ts'
import { axeFinds } from '../e2e/axe.ts'
import { complaints, serveIslands, type IslandPages } from './island-page.ts'
import { openPickerShop, type PickerShop } from './picker-shop.ts'

// The page counts its own clicks: none may come while an element is picked.
const body = `<main class="product"><h1 class="product__title">Ash mug</h1><img class="product__photo" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" width="80" height="80" alt="A mug">
<p class="product__note">Fired twice</p><button class="buy-button" style="background: #7a4a2b; color: #fff; font-size: 15px" onclick="document.title = 'bought'">Add to cart</button><ul class="picks"><li class="card">Bowl</li><li class="card">Vase</li><li class="card">Jug</li></ul></main>
<script>for (const type of ['mousedown', 'pointerdown', 'click']) document.addEventListener(type, event => { if (event.target.localName !== 'twinshelf-picker') document.title = 'heard ' + type })</script>`

const font = { family: 'Georgia', weight: 400, style: 'normal' as const }
const brandStyle: BrandStyle = {
  id: 'b', title: font, body: font, label: font, buttonText: font, updatedAt: null, patterns: [{
    kind: 'Content', shape: 'Round', buttonStyle: 'Filled', buttonSize: 'medium',
    colours: { background: '#ffffff', heading: '#221100', text: '#443322', border: null, buttonBackground: '#0b3d4f', buttonText: '#fffffe', buttonBorder: null },
  }],
}
const brand = brandPalette(brandStyle)

let pages: IslandPages, shop: PickerShop
test.beforeAll(async () => { [pages, shop] = await Promise.all([serveIslands(), openPickerShop()]) })
test.afterAll(() => Promise.all([pages.close(), shop.close()]))
test.beforeEach(() => { Object.assign(shop, { body, headers: {}, editor: pages.origin, pages: 0 }) })

const openEditor = (page: Page, changes: ScriptChange[] = []) => pages.openAll(page, [
  { name: 'preview-frame', props: { urls: [shop.link(0), shop.link(1)], titles: ['Control', 'Variant'], address: 'pots.example/products/mug' } },
  { name: 'changes-editor', props: { changes, problems: {}, open: null, brand, look: pieceLook(brandStyle), pages: [{ path: '/products/mug', url: shop.link(0) }, { path: '/about', url: `${shop.origin}/about?arm=0` }] } },
])
const shown = (page: Page): Frame => page.frame({ name: 'preview' })!
const label = (page: Page) => page.locator('.picker-label b')
const sent = (page: Page) => page.evaluate(() => [...new FormData(document.querySelector<HTMLFormElement>('#form')!)].map(([name, value]) => `${name}=${String(value)}`).filter(field => field.startsWith('changes')))
const widthOf = (frame: Frame) => frame.evaluate(() => innerWidth)
const scrolled = (frame: Frame) => frame.evaluate(() => scrollY)
/** As a person: what the page tells the editor of it is awaited by who expects something of it. */
const movePage = (frame: Frame, y: number) => frame.evaluate(to => new Promise(done => {
  addEventListener('scroll', () => requestAnimationFrame(() => requestAnimationFrame(done)), { once: true })
  scrollTo(0, to)
}), y)
async function middleOf(page: Page, selector: string): Promise<[number, number]> {
  const { x, y, width, height } = (await shown(page).locator(selector).boundingBox())!
  return [x + width / 2, y + height / 2]
}

/** The element's own entry in the list, by the name that the page gives it. */
const entry = (page: Page, name: string) => page.locator('.change > details > summary', { hasText: name })
const pick = async (page: Page, selector: string): Promise<void> => {
  await page.getByRole('button', { name: 'Pick an element' }).click()
  await expect(label(page)).toContainText('“')
  await page.mouse.click(...await middleOf(page, selector))
}

test('with the mouse alone: an element is picked, changed in several ways, and the frame shows it at once', async ({ page }) => {
  const found = complaints(page)
  shop.body = `${body}<p style="height: 3000px">All of it</p>`
  await openEditor(page)
  // A desktop's page, however little room there is for it.
  await expect.poll(() => widthOf(shown(page))).toBe(1280)
  await expect(page.getByText(/^1,280 px wide, shown at \d+%$/)).toBeVisible()
  await page.getByRole('button', { name: 'Pick an element' }).click()
  await expect(label(page)).toContainText('“')
  await page.mouse.move(...await middleOf(page, 'h1'))
  await expect(label(page)).toHaveText('Heading “Ash mug”')
  await page.mouse.move(...await middleOf(page, '.buy-button'))
  await expect(label(page)).toHaveText('Button “Add to cart”')
  await page.mouse.click(...await middleOf(page, '.buy-button'))
  expect(await shown(page).title()).toBe('Pots')
  await expect(entry(page, 'Button “Add to cart”')).toContainText('No changes yet')

  // The fields hold what the browser computed; what is touched becomes one change each.
  const text = page.getByLabel('Text', { exact: true })
  await expect(text).toHaveValue('Add to cart')
  await expect(text).toBeFocused()
  await expect(page.getByLabel('Text size', { exact: true })).toHaveValue('15')
  await expect(page.getByLabel('Background', { exact: true })).toHaveValue('#7a4a2b')
  await text.fill('Ships today')
  await expect(shown(page).locator('.buy-button')).toHaveText('Ships today')
  // The page that is loaded for each change stands where the last one stood.
  await movePage(shown(page), 60)
  await text.fill('Ships now')
  await expect(shown(page).locator('.buy-button')).toHaveText('Ships now')
  await expect.poll(() => scrolled(shown(page))).toBe(60)
  await text.fill('Ships today')
  await expect(shown(page).locator('.buy-button')).toHaveText('Ships today')
  await expect.poll(() => scrolled(shown(page))).toBe(60)
  await movePage(shown(page), 0)
  await page.getByLabel('Text size', { exact: true }).fill('20')
  await page.getByRole('group', { name: 'Background: colours of your brand' }).getByRole('button', { name: 'Button, #0b3d4f' }).click()
  await expect(shown(page).locator('.buy-button')).toHaveText('Ships today')
  await expect(shown(page).locator('.buy-button')).toHaveCSS('background-color', 'rgb(11, 61, 79)')
  await expect(entry(page, 'Button “Add to cart”')).toContainText('3 changes: text, text size, background')
  // Too pale to read on that ground; and the control's value is the real one although the page shows the variant.
  await page.getByLabel('Text colour', { exact: true }).fill('#335566')
  await expect(page.getByText(/^Contrast is 1\.\d:1\./)).toBeVisible()
  await expect(page.getByText('Control: 15 px')).toBeVisible()
  await expect(page.getByText('Control: #7a4a2b')).toBeVisible()
  for (const part of ['Spacing', 'Border', 'Advanced']) await page.locator('summary', { hasText: part }).click()
  // The bare page around the islands has no heading of its own.
  expect((await axeFinds(page)).filter(line => !line.includes('page-has-heading-one'))).toEqual([])
  await page.getByRole('button', { name: 'Reset text colour' }).click()
  await expect(page.getByLabel('Text colour', { exact: true })).toHaveValue('#ffffff')
  await page.getByLabel('Text size', { exact: true }).fill('huge')
  await expect(page.getByText('Write a number of pixels, like 16.')).toBeVisible()
  await page.getByRole('button', { name: 'Reset text size' }).click()
  await expect(shown(page).locator('.buy-button')).toHaveCSS('font-size', '15px')

  // One of several, then all of them; hidden in one step.
  await pick(page, 'li:nth-child(2)')
  await page.getByLabel('Apply to all 3 like this').check()
  await page.getByLabel('Visibility').selectOption('hidden')
  await expect(shown(page).locator('.card:visible')).toHaveCount(0)

  // A picture gets another one, and words for those who do not see it.
  await pick(page, 'img')
  await page.getByLabel('Alt text').fill('A blue mug')
  await expect(shown(page).locator('img')).toHaveAttribute('alt', 'A blue mug')
  expect(await sent(page)).toEqual([
    'changes.0.selector=.buy-button', 'changes.0.kind=text', 'changes.0.name=', 'changes.0.value=Ships today',
    'changes.1.selector=.buy-button', 'changes.1.kind=style', 'changes.1.name=background-color', 'changes.1.value=#0b3d4f',
    'changes.2.selector=.card', 'changes.2.kind=hide', 'changes.2.name=', 'changes.2.value=',
    'changes.3.selector=.product__photo', 'changes.3.kind=attribute', 'changes.3.name=alt', 'changes.3.value=A blue mug', 'changes=4',
  ])

  await page.getByRole('button', { name: 'Side by side' }).click()
  await expect(page.frameLocator('[title^="Control of"]').locator('.buy-button')).toHaveText('Add to cart')
  await expect(shown(page).locator('.buy-button')).toHaveText('Ships today')
  const control = (await (await page.locator('[title^="Control of"]').elementHandle())!.contentFrame())!
  for (const [from, other, to] of [[shown(page), control, 400], [control, shown(page), 900]] as const) {
    await movePage(from, to)
    await expect.poll(() => scrolled(other)).toBe(to)
  }
  // Neither is cut off; larger than the room, both are moved sideways.
  const rooms = page.locator('.frame-room')
  const hidden = () => rooms.evaluateAll(all => all.map(room => room.scrollWidth - room.clientWidth))
  expect([await widthOf(control), await widthOf(shown(page)), ...await hidden()]).toEqual([1280, 1280, 0, 0])
  await page.getByLabel('Zoom').selectOption('100')
  await expect(page.getByText('1,280 px wide, shown at 100%')).toBeVisible()
  expect((await hidden()).every(each => each > 300)).toBe(true)
  await rooms.last().evaluate(room => { room.scrollLeft = 200 })
  await expect.poll(() => rooms.first().evaluate(room => room.scrollLeft)).toBe(200)
  await page.getByRole('radio', { name: 'Phone' }).check({ force: true })
  await expect.poll(() => widthOf(shown(page))).toBe(390)
  expect(found).toEqual([])
})

test('an element is dragged, moved by keys and buttons, and a new one is inserted beside it', async ({ page }) => {
  const found = complaints(page)
  await openEditor(page)
  const stand = (...order: string[]) => expect(shown(page).locator(`main:has(> ${order.join(' + ')})`)).toBeVisible()
  // Dragged with the mouse to below the button.
  await page.getByRole('button', { name: 'Pick an element' }).click()
  await expect(label(page)).toContainText('“')
  await page.mouse.move(...await middleOf(page, '.product__note'))
  await page.mouse.down()
  const { x, y, height } = (await shown(page).locator('.buy-button').boundingBox())!
  await page.mouse.move(x + 10, y + height / 2 + 4, { steps: 3 })
  await page.mouse.move(x + 10, y + height - 2, { steps: 3 })
  await page.mouse.up()
  await expect(entry(page, 'Paragraph “Fired twice”')).toContainText('1 change: move')
  await stand('h1', 'img', 'button', 'p', 'ul')
  await expect(page.getByText('Now after Button “Add to cart”')).toBeVisible()
  // One step back up by the button in the panel, again, and reset.
  await page.getByRole('button', { name: 'Move up' }).click()
  await stand('h1', 'img', 'p', 'button', 'ul')
  await page.getByRole('button', { name: 'Move up' }).click()
  await stand('h1', 'p', 'img', 'button', 'ul')
  await page.getByRole('button', { name: 'Reset position' }).click()
  await stand('h1', 'img', 'p', 'button', 'ul')

  // By the keys alone: the heading, one down.
  await page.getByRole('button', { name: 'Pick an element' }).focus()
  await page.keyboard.press('Enter')
  await expect(label(page)).toContainText('“')
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowDown')
  await expect(label(page)).toHaveText('Heading “Ash mug”')
  await page.keyboard.press('Alt+ArrowDown')
  await stand('img', 'h1', 'p', 'button', 'ul')

  // A badge beside the button, in the look of the brand.
  await page.locator('summary', { hasText: 'Insert' }).click()
  await page.getByRole('button', { name: 'Badge' }).click()
  await expect(label(page)).toContainText('“')
  await page.mouse.click(...await middleOf(page, '.buy-button'))
  const inserted = page.getByRole('region', { name: 'Inserted: Badge' })
  await inserted.getByLabel('Text').fill('Ships <today>')
  await expect(shown(page).locator('.buy-button + [data-twinshelf=badge]')).toHaveText('Ships <today>')
  await expect(shown(page).locator('[data-twinshelf=badge]')).toHaveCSS('background-color', 'rgb(11, 61, 79)')
  await inserted.getByLabel('Place').selectOption('insertBefore')
  await expect(shown(page).locator('[data-twinshelf=badge] + .buy-button')).toBeVisible()

  // Which pages have the elements: counted page by page.
  await page.getByRole('button', { name: 'Check on 2 pages' }).click()
  await expect(page.getByText('1 changed element is missing on some pages.')).toBeVisible()
  await expect(page.getByText('Not found on /about.')).toBeVisible()
  expect(await sent(page)).toContain('changes.0.value=.product__photo')
  expect(found).toEqual([])
})

test('with the keyboard alone: walk, pick, write, and Escape ends', async ({ page }) => {
  await openEditor(page)
  await page.getByRole('button', { name: 'Pick an element' }).focus()
  await page.keyboard.press('Enter')
  await expect(label(page)).toContainText('“')
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowUp')
  await expect(label(page)).toContainText('Main part')
  await page.keyboard.press('ArrowDown')
  await expect(label(page)).toHaveText('Heading “Ash mug”')
  await page.keyboard.press('ArrowRight')
  await expect(label(page)).toHaveText('Picture “A mug”')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowLeft')
  await expect(label(page)).toHaveText('Paragraph “Fired twice”')
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Text', { exact: true })).toBeFocused()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('Fired once')
  await expect(shown(page).locator('.product__note')).toHaveText('Fired once')

  const button = page.getByRole('button', { name: 'Pick an element' })
  await button.focus()
  await page.keyboard.press('Enter')
  await expect(label(page)).toContainText('“')
  await page.keyboard.press('Escape')
  await expect(label(page)).toHaveCount(0)
  await expect(button).toBeFocused()
  await expect(shown(page).locator('twinshelf-picker .glass')).toHaveCount(0)
})

test('a page that had to say twice that it is ready goes on from where the keys had come to', async ({ page }) => {
  // What a slow editor would hear: the page says so again while the answer is on its way.
  await page.addInitScript(() => addEventListener('message', event => {
    const { data, origin, source } = event as MessageEvent<{ type: string }>
    if (event.isTrusted && data.type === 'ready') Object.assign(window, { again: () => dispatchEvent(new MessageEvent('message', { data, origin, source })) })
  }))
  await openEditor(page)
  await page.getByRole('button', { name: 'Pick an element' }).click()
  await expect(label(page)).toContainText('“')
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowUp')
  await page.evaluate(() => (window as unknown as { again: () => void }).again())
  await page.keyboard.press('ArrowDown')
  await expect(label(page)).toHaveText('Heading “Ash mug”')
})

test('a page that hears of the changes too late is loaded again, and shows them then', async ({ page }) => {
  await page.addInitScript(() => addEventListener('message', event => {
    const { data, origin, source } = event as MessageEvent<{ type: string }>
    if (!event.isTrusted || data.type !== 'begin') return
    event.stopImmediatePropagation()
    Object.assign(window, { hear: () => dispatchEvent(new MessageEvent('message', { data, origin, source })) })
  }, true))
  await openEditor(page, [{ selector: 'h1', kind: 'text', value: 'Blue mug', name: '' }])
  const isTold = (how: string) => expect(async () => {
    expect(await shown(page).evaluate(() => 'hear' in window && (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).type)).toBe(how)
  }).toPass()
  const hear = () => shown(page).evaluate(() => (window as unknown as { hear: () => void }).hear())
  await isTold('navigate')
  // It waits no longer, and shows what is saved.
  await expect(shown(page).locator('h1')).toBeVisible()
  await expect(shown(page).locator('h1')).toHaveText('Ash mug')
  await hear()
  await isTold('reload')
  await hear()
  await expect(shown(page).locator('h1')).toHaveText('Blue mug')
  await expect(shown(page).locator('h1')).toBeVisible()
})

test('the count is said: nothing, too much, the whole page; and what is removed is still found', async ({ page }) => {
  shop.body = `${body}${'<i>x</i>'.repeat(250)}`
  await openEditor(page)
  await page.getByRole('button', { name: 'Add by CSS selector' }).click()
  const selector = page.getByLabel('Element (CSS selector)')
  for (const [text, words] of [['.nowhere', 'Finds nothing on this page.'], ['i', 'Finds 250 elements on this page. A change may be made to 200 at most'], ['body', 'This is the whole page.']] as const) {
    await selector.fill(text)
    await expect(page.getByText(words)).toBeVisible()
  }
  await expect(selector).toHaveAttribute('aria-invalid', 'true')
  // What would be refused is told at its field, and not shown in the frame.
  await selector.fill('h1')
  await page.getByLabel('What to do').selectOption('attribute')
  await page.getByRole('textbox', { name: 'Attribute' }).fill('onmouseover')
  await page.getByLabel('New value').fill('document.title = 1')
  await expect(page.getByText('onmouseover would run code on the shop’s page.')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Attribute' })).toHaveAttribute('aria-invalid', 'true')
  await page.getByRole('textbox', { name: 'Attribute' }).fill('title')
  await expect(shown(page).locator('h1[title]')).toBeVisible()
  await expect(shown(page).locator('h1[onmouseover]')).toHaveCount(0)
  await selector.fill('.buy-button')
  await page.getByLabel('What to do').selectOption('remove')
  // On the page that is there, not while the next is on its way.
  await expect(shown(page).locator('main:not(:has(.buy-button)) .picks')).toBeVisible()
  await expect(page.getByText('Finds 1 element on this page.')).toBeVisible()
  const drawn = shop.pages
  await page.getByLabel('What to do').selectOption('hide')
  await expect(shown(page).locator('main:has(.buy-button) .picks')).toBeVisible()
  await expect(shown(page).locator('.buy-button')).toBeHidden()
  expect(shop.pages, 'one edit, one page').toBe(drawn + 1)
})

test('a page that forges messages, and frames of others inside of it, are not obeyed', async ({ page }) => {
  const picked = `{ selector: '.forged', count: 1, alike: '', alikeCount: 0, label: 'Forged', tag: 'p', text: '<img src=x onerror=alert(1)>', html: '', image: '', attributes: [] }`
  const forged = `for (const nonce of ['', 'guess']) { to.postMessage({ twinshelf: 'picker', nonce, type: 'picked', picked: ${picked} }, '*'); to.postMessage({ twinshelf: 'picker', nonce, type: 'outlined', label: 'Forged' }, '*') }`
  const inner = `data:text/html,${encodeURIComponent(`<script>const to = top; setInterval(() => { ${forged}; to.postMessage({ twinshelf: 'picker', nonce: '', type: 'ready', page: 'forged' }, '*') }, 20)</script>`)}`
  // The page itself hears the nonce it was given; what it says with it is still only what the merchant asked for.
  shop.body = `${body}<iframe src="${inner}"></iframe><script>const to = parent; setInterval(() => { ${forged} }, 20)
    addEventListener('message', ({ data: { nonce } }) => { if (nonce) { window.learnt = nonce; to.postMessage({ twinshelf: 'picker', nonce, type: 'picked', picked: ${picked} }, '*'); to.postMessage({ twinshelf: 'picker', nonce, type: 'picked', picked: { selector: 1 } }, '*') } })</script>`
  await openEditor(page)
  await expect.poll(() => shown(page).evaluate(() => 'learnt' in window)).toBe(true)
  await page.getByRole('button', { name: 'Add by CSS selector' }).click()
  await page.getByLabel('Element (CSS selector)').fill('.card')
  await expect(page.getByText('Finds 3 elements on this page.')).toBeVisible()
  expect((await sent(page)).filter(field => field.includes('orged'))).toEqual([])
})

test('the page obeys nobody but the editor that its configuration names', async ({ page }) => {
  shop.editor = 'https://app.example'
  await openEditor(page)
  await expect(shown(page).locator('.buy-button')).toBeVisible()
  const drawn = shop.pages
  const orders = [{ type: 'begin', changes: [{ selector: 'h1', kind: 'text', value: 'Taken', name: '' }] }, { type: 'picking', on: true }, { type: 'apply' }]
  await page.evaluate(orders => orders.forEach(order => document.querySelector<HTMLIFrameElement>('[name=preview]')!.contentWindow!.postMessage({ twinshelf: 'picker', nonce: 'n', ...order }, '*')), orders)
  // A message of one's own comes after those, so they have been heard by then.
  await shown(page).evaluate(() => new Promise(resolve => { addEventListener('message', ({ data }) => { if (data === 'last') resolve(0) }); postMessage('last', '*') }))
  await expect(shown(page).locator('twinshelf-picker')).toHaveCount(0)
  expect([await shown(page).locator('h1').textContent(), shop.pages]).toEqual(['Ash mug', drawn])
})

test('a shop that does not let itself be framed is opened beside', async ({ page, context }) => {
  shop.headers = { 'content-security-policy': "frame-ancestors 'none'" }
  await page.clock.install()
  await openEditor(page)
  await page.clock.fastForward(6000)
  await expect(page.getByText('The shop’s page does not answer.')).toBeVisible()
  const [beside] = await Promise.all([context.waitForEvent('page'), page.getByRole('button', { name: 'Open in a window' }).click()])
  await expect(page.getByText('The shop’s page does not answer.')).toHaveCount(0)
  await page.getByRole('button', { name: 'Pick an element' }).click()
  await expect(label(page)).toContainText('“')
  const box = (await beside.locator('h1').boundingBox())!
  await beside.mouse.click(box.x + 5, box.y + 5)
  await expect(entry(page, 'Heading “Ash mug”')).toBeVisible()
  await expect(page.getByLabel('Text', { exact: true })).toHaveValue('Ash mug')
})
