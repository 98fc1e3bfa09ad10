import { expect, test } from '@playwright/test'
import { styleNames } from '../../domain/drafts/element-style.ts'
import { serveIslands, type IslandPages } from './island-page.ts'
import { body, entry, label, middleOf, openEditor, sent, shown } from './picker-page.ts'
import { openPickerShop, type PickerShop } from './picker-shop.ts'

let pages: IslandPages, shop: PickerShop
test.beforeAll(async () => {
  ;[pages, shop] = await Promise.all([serveIslands(), openPickerShop()])
})
test.afterAll(() => Promise.all([pages.close(), shop.close()]))
test.beforeEach(() => {
  Object.assign(shop, {
    body,
    headers: {},
    editor: pages.origin,
    pages: 0,
    bodyComes: Promise.resolve(),
  })
})

test('with the keyboard only: walk, pick, type, and end with Escape', async ({ page }) => {
  await openEditor(page, pages, shop)
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

test('a page that sends “ready” twice keeps the element that the keys have reached', async ({
  page,
}) => {
  // Repeats the page's “ready” as if a slow editor had not answered the first one in time.
  await page.addInitScript(() =>
    addEventListener('message', event => {
      const { data, origin, source } = event as MessageEvent<{ type: string }>
      if (event.isTrusted && data.type === 'ready')
        Object.assign(window, {
          again: () => dispatchEvent(new MessageEvent('message', { data, origin, source })),
        })
    }),
  )
  await openEditor(page, pages, shop)
  await page.getByRole('button', { name: 'Pick an element' }).click()
  await expect(label(page)).toContainText('“')
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowUp')
  await page.evaluate(() => (window as unknown as { again: () => void }).again())
  await page.keyboard.press('ArrowDown')
  await expect(label(page)).toHaveText('Heading “Ash mug”')
})

test('a page that gets the changes too late is loaded again and then shows them', async ({
  page,
}) => {
  await page.addInitScript(() =>
    addEventListener(
      'message',
      event => {
        const { data, origin, source } = event as MessageEvent<{ type: string }>
        if (!event.isTrusted || data.type !== 'begin') return
        event.stopImmediatePropagation()
        Object.assign(window, {
          hear: () => dispatchEvent(new MessageEvent('message', { data, origin, source })),
        })
      },
      true,
    ),
  )
  await openEditor(page, pages, shop, [
    { selector: 'h1', kind: 'text', value: 'Blue mug', name: '' },
  ])
  const isTold = (how: string) =>
    expect(async () => {
      expect(
        await shown(page).evaluate(
          () =>
            'hear' in window &&
            (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).type,
        ),
      ).toBe(how)
    }).toPass()
  const hear = () => shown(page).evaluate(() => (window as unknown as { hear: () => void }).hear())
  await isTold('navigate')
  // The page stops waiting and shows the page without unsaved changes.
  await expect(shown(page).locator('h1')).toBeVisible()
  await expect(shown(page).locator('h1')).toHaveText('Ash mug')
  await hear()
  await isTold('reload')
  await hear()
  await expect(shown(page).locator('h1')).toHaveText('Blue mug')
  await expect(shown(page).locator('h1')).toBeVisible()
})

test('the count of a selector is shown: none, too many, the whole page; a removed element is still counted', async ({
  page,
}) => {
  shop.body = `${body}${'<i>x</i>'.repeat(250)}`
  await openEditor(page, pages, shop)
  await page.getByRole('button', { name: 'Add by CSS selector' }).click()
  const selector = page.getByLabel('Element (CSS selector)')
  for (const [text, words] of [
    ['.nowhere', 'Finds nothing on this page.'],
    ['i', 'Finds 250 elements on this page. A change may be made to 200 at most'],
    ['body', 'This is the whole page.'],
  ] as const) {
    await selector.fill(text)
    await expect(page.getByText(words)).toBeVisible()
  }
  await expect(selector).toHaveAttribute('aria-invalid', 'true')
  // A change that the server would refuse has a message at its field and is not shown in the frame.
  await selector.fill('h1')
  await page.getByLabel('What to do').selectOption('attribute')
  // By its label: it is a combobox once the page has told the element's attributes.
  const attribute = page.getByLabel('Attribute', { exact: true })
  await attribute.fill('onmouseover')
  await page.getByLabel('New value').fill('document.title = 1')
  await expect(page.getByText('onmouseover would run code on the shop’s page.')).toBeVisible()
  await expect(attribute).toHaveAttribute('aria-invalid', 'true')
  await attribute.fill('title')
  await expect(shown(page).locator('h1[title]')).toBeVisible()
  await expect(shown(page).locator('h1[onmouseover]')).toHaveCount(0)
  await selector.fill('.buy-button')
  await page.getByLabel('What to do').selectOption('remove')
  // Wait for the present page, not while the next one is loading.
  await expect(shown(page).locator('main:not(:has(.buy-button)) .picks')).toBeVisible()
  await expect(page.getByText('Finds 1 element on this page.')).toBeVisible()
  const drawn = shop.pages
  await page.getByLabel('What to do').selectOption('hide')
  await expect(shown(page).locator('main:has(.buy-button) .picks')).toBeVisible()
  await expect(shown(page).locator('.buy-button')).toBeHidden()
  expect(shop.pages, 'one edit loads one page').toBe(drawn + 1)
})

test('an element is picked on a page that was still loading when picking began', async ({
  page,
}) => {
  let come!: (value?: unknown) => void
  shop.bodyComes = new Promise(resolve => (come = resolve))
  await openEditor(page, pages, shop, [], 'commit')
  await expect(page.locator('[data-alive]')).toHaveCount(2)
  await page.getByRole('button', { name: 'Pick an element' }).click()
  // The page's script listens, and the page has nothing to point at yet.
  await expect(label(page)).toHaveText('Point at an element of the page')
  await page.keyboard.press('ArrowDown')
  come()
  await expect(label(page)).toContainText('“')
  await page.mouse.click(...(await middleOf(page, '.buy-button')))
  await expect(entry(page, 'Button “Add to cart”')).toBeVisible()
  expect(await shown(page).title(), 'the page has heard nothing').toBe('Pots')
})

test('the editor ignores forged messages from the page and from frames inside it', async ({
  page,
}) => {
  const picked = `{ selector: '.forged', count: 1, alike: '', alikeCount: 0, label: 'Forged', tag: 'p', text: '<img src=x onerror=alert(1)>', html: '', image: '', attributes: [], link: { selector: '', address: '', alt: '' }, picture: { selector: '', address: '', alt: '' }, isPlain: true, styles: ${JSON.stringify(Object.fromEntries(styleNames.map(name => [name, ''])))}, ground: '', fonts: [] }`
  const forged = `for (const nonce of ['', 'guess']) { to.postMessage({ twinshelf: 'picker', nonce, type: 'picked', picked: ${picked} }, '*'); to.postMessage({ twinshelf: 'picker', nonce, type: 'outlined', label: 'Forged' }, '*') }`
  const inner = `data:text/html,${encodeURIComponent(`<script>const to = top; setInterval(() => { ${forged}; to.postMessage({ twinshelf: 'picker', nonce: '', type: 'ready', page: 'forged' }, '*') }, 20)</script>`)}`
  // The page itself learns the nonce. Even with it, the editor accepts only answers that the
  // merchant asked for.
  shop.body = `${body}<iframe src="${inner}"></iframe><script>const to = parent; setInterval(() => { ${forged} }, 20)
    addEventListener('message', ({ data: { nonce } }) => { if (nonce) { window.learnt = nonce; to.postMessage({ twinshelf: 'picker', nonce, type: 'picked', picked: ${picked} }, '*'); to.postMessage({ twinshelf: 'picker', nonce, type: 'picked', picked: { selector: 1 } }, '*') } })</script>`
  await openEditor(page, pages, shop)
  await expect.poll(() => shown(page).evaluate(() => 'learnt' in window)).toBe(true)
  await page.getByRole('button', { name: 'Add by CSS selector' }).click()
  await page.getByLabel('Element (CSS selector)').fill('.card')
  await expect(page.getByText('Finds 3 elements on this page.')).toBeVisible()
  expect((await sent(page)).filter(field => field.includes('orged'))).toEqual([])
})

test('the page obeys only the editor in its configuration', async ({ page }) => {
  shop.editor = 'https://app.example'
  await openEditor(page, pages, shop)
  await expect(shown(page).locator('.buy-button')).toBeVisible()
  const drawn = shop.pages
  const orders = [
    { type: 'begin', changes: [{ selector: 'h1', kind: 'text', value: 'Taken', name: '' }] },
    { type: 'picking', on: true },
    { type: 'apply' },
  ]
  await page.evaluate(
    orders =>
      orders.forEach(order =>
        document
          .querySelector<HTMLIFrameElement>('[name=preview]')!
          .contentWindow!.postMessage({ twinshelf: 'picker', nonce: 'n', ...order }, '*'),
      ),
    orders,
  )
  // A message of its own arrives after those, so the page has received them by then.
  await shown(page).evaluate(
    () =>
      new Promise(resolve => {
        addEventListener('message', ({ data }) => {
          if (data === 'last') resolve(0)
        })
        postMessage('last', '*')
      }),
  )
  await expect(shown(page).locator('twinshelf-picker')).toHaveCount(0)
  expect([await shown(page).locator('h1').textContent(), shop.pages]).toEqual(['Ash mug', drawn])
})

test('a shop that cannot be framed is opened in its own window', async ({ page, context }) => {
  shop.headers = { 'content-security-policy': "frame-ancestors 'none'" }
  await page.clock.install()
  await openEditor(page, pages, shop)
  await page.clock.fastForward(6000)
  await expect(page.getByText('The shop’s page does not answer.')).toBeVisible()
  const [beside] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('button', { name: 'Open in a window' }).click(),
  ])
  await expect(page.getByText('The shop’s page does not answer.')).toHaveCount(0)
  await page.getByRole('button', { name: 'Pick an element' }).click()
  await expect(label(page)).toContainText('“')
  const box = (await beside.locator('h1').boundingBox())!
  await beside.mouse.click(box.x + 5, box.y + 5)
  await expect(entry(page, 'Heading “Ash mug”')).toBeVisible()
  await expect(page.getByLabel('Text', { exact: true })).toHaveValue('Ash mug')
  // When a program drives the browser, every page reports the focus. For a person only one page has
  // it.
  await page.evaluate(() => {
    document.hasFocus = () => false
    document.addEventListener('draft:undo', event => {
      document.title = `heard ${(event as CustomEvent<string>).detail}`
    })
  })
  await beside.keyboard.press('Control+z')
  await expect(page).toHaveTitle('heard undo')
})
