import { expect, test, type Frame, type Page } from '@playwright/test'
import type { ScriptChange } from '../../domain/script-config.ts'
import { complaints, serveIslands, type IslandPages } from './island-page.ts'
import { openPickerShop, type PickerShop } from './picker-shop.ts'

// The page counts its own clicks: none may come while an element is picked.
const body = `<main class="product"><h1 class="product__title">Ash mug</h1><img class="product__photo" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" width="80" height="80" alt="A mug">
<p class="product__note">Fired twice</p><button class="buy-button" onclick="document.title = 'bought'">Add to cart</button><ul class="picks"><li class="card">Bowl</li><li class="card">Vase</li><li class="card">Jug</li></ul></main>
<script>for (const type of ['mousedown', 'pointerdown', 'click']) document.addEventListener(type, event => { if (event.target.localName !== 'twinshelf-picker') document.title = 'heard ' + type })</script>`

let pages: IslandPages, shop: PickerShop
test.beforeAll(async () => { [pages, shop] = await Promise.all([serveIslands(), openPickerShop()]) })
test.afterAll(() => Promise.all([pages.close(), shop.close()]))
test.beforeEach(() => { Object.assign(shop, { body, headers: {}, editor: pages.origin, pages: 0 }) })

const openEditor = (page: Page, changes: ScriptChange[] = []) => pages.openAll(page, [
  { name: 'preview-frame', props: { urls: [shop.link(0), shop.link(1)], titles: ['Control', 'Variant'], address: 'pots.example/products/mug' } },
  { name: 'changes-editor', props: { changes, problems: {}, open: null } },
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
  await expect(page.getByLabel('Element (CSS selector)')).toHaveValue('.buy-button')
  await expect(page.getByText('Finds 1 element on this page.')).toBeVisible()
  await expect(page.getByLabel('New text')).toHaveValue('Add to cart')
  await page.getByLabel('New text').fill('Ships today')
  await expect(shown(page).locator('.buy-button')).toHaveText('Ships today')
  // The page that is loaded for each change stands where the last one stood.
  await movePage(shown(page), 60)
  await page.getByLabel('New text').fill('Ships now')
  await expect(shown(page).locator('.buy-button')).toHaveText('Ships now')
  await expect.poll(() => scrolled(shown(page))).toBe(60)
  await page.getByLabel('New text').fill('Ships today')
  await expect(shown(page).locator('.buy-button')).toHaveText('Ships today')
  await expect.poll(() => scrolled(shown(page))).toBe(60)
  await movePage(shown(page), 0)

  // One of several, then all of them; and what else may be done to it.
  await page.getByRole('button', { name: 'Pick an element' }).click()
  await expect(label(page)).toContainText('“')
  await page.mouse.click(...await middleOf(page, 'li:nth-child(2)'))
  await page.getByLabel('All 3 like this').check()
  await expect(page.getByText('Finds 3 elements on this page.')).toBeVisible()
  await page.getByLabel('What to do').last().selectOption('hide')
  await expect(shown(page).locator('.card:visible')).toHaveCount(0)

  // A picture gets another one; an element moves to a place that is picked as well.
  await page.getByRole('button', { name: 'Pick an element' }).click()
  await expect(label(page)).toContainText('“')
  await page.mouse.click(...await middleOf(page, 'img'))
  await expect(page.getByLabel('What to do').last()).toHaveValue('image')
  await page.getByLabel('What to do').last().selectOption('move')
  await page.getByLabel('Place').selectOption('after')
  await page.getByRole('button', { name: 'Pick where it goes' }).click()
  await expect(label(page)).toContainText('“')
  await page.mouse.click(...await middleOf(page, '.buy-button'))
  await expect(page.getByLabel('Selector of the element it goes to')).toHaveValue('.buy-button')
  await expect(shown(page).locator('.buy-button + img')).toBeVisible()
  expect(await sent(page)).toEqual([
    'changes.0.selector=.buy-button', 'changes.0.kind=text', 'changes.0.name=', 'changes.0.value=Ships today', 'changes.1.selector=.card', 'changes.1.kind=hide', 'changes.1.name=', 'changes.1.value=',
    'changes.2.selector=.product__photo', 'changes.2.kind=move', 'changes.2.name=after', 'changes.2.value=.buy-button', 'changes=3',
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
  await expect(page.getByLabel('Element (CSS selector)')).toHaveValue('.product__note')
  await expect(page.getByLabel('What to do')).toBeFocused()
  await page.keyboard.press('Tab')
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
  await expect(shown(page).locator('twinshelf-picker')).toHaveCount(0)
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
  await page.getByRole('button', { name: 'Add a change' }).click()
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
  await page.getByRole('button', { name: 'Add a change' }).click()
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
  await expect(page.getByLabel('Element (CSS selector)')).toHaveValue('.product__title')
})
