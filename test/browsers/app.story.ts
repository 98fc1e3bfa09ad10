import { join } from 'node:path'
import { expect } from '@playwright/test'
import sharp from 'sharp'
import type { Product } from '../e2e/product.ts'
import { story } from './browsers.ts'
import { past, sendVisitors, startWithPast } from './past-product.ts'
import { until, type Tab } from './tab.ts'

let product: Product | undefined
story.beforeAll(async () => {
  product = await startWithPast()
})
story.afterAll(() => product?.stop())

/** Opens the app outside the admin's frame. On the way the shop's admin signs the merchant in. */
async function open(tab: Tab, path: string): Promise<void> {
  await tab.goto(product!.app + path)
  await until(
    path,
    async () =>
      (await tab.url().then(url => url.startsWith(product!.app))) && (await tab.has('main h1')),
  )
}
async function createDraft(tab: Tab, title: string): Promise<void> {
  await open(tab, '/tests/draft/edit')
  await tab.click({ role: 'button', name: 'Create a page element test' })
  await tab.write({ role: 'textbox', name: 'Name of the test' }, title)
}
const aliveChanges = '[data-island=changes-editor][data-alive]'
/** Opens the step Changes for all product pages and waits until its island is hydrated. */
async function chooseProducts(tab: Tab): Promise<void> {
  await tab.click({ role: 'button', name: /Pages$/ })
  await tab.write('[name=urlPatterns]', '/products/*')
  await tab.click({ role: 'button', name: /Changes$/ })
  await tab.see(aliveChanges)
}
const isLoaded = async (tab: Tab): Promise<void> => {
  expect(await tab.has('.preload-error'), 'a part could not be loaded').toBe(false)
}
const isModal = (tab: Tab) =>
  tab.evaluate(() => document.querySelector('dialog[open]')?.matches(':modal') ?? false)
/**
 * Distance in pixels between an open menu and its button's corner. The menu may open above or
 * below.
 */
const menuGap = (tab: Tab) =>
  tab.evaluate(() => {
    const menu = document.querySelector('.row-menu:popover-open')!,
      button = document.querySelector(`[popovertarget="${menu.id}"]`)!
    const { top, right, bottom } = menu.getBoundingClientRect(),
      beside = button.getBoundingClientRect()
    return Math.max(
      Math.abs(right - beside.right),
      Math.min(Math.abs(top - beside.bottom), Math.abs(bottom - beside.top)),
    )
  })
/** Counts the charts that have something drawn. All charts must fit their places. */
const drawnCharts = (tab: Tab) =>
  tab.evaluate(
    () =>
      [...document.querySelectorAll('canvas')].filter(canvas => {
        const { width, height } = canvas.getBoundingClientRect()
        if (
          width < 100 ||
          Math.abs(canvas.width - width * devicePixelRatio) > 1 ||
          Math.abs(canvas.height - height * devicePixelRatio) > 1
        )
          throw new Error(
            `A chart is ${canvas.width} by ${canvas.height} in ${width} by ${height}.`,
          )
        return canvas
          .getContext('2d')!
          .getImageData(0, 0, canvas.width, canvas.height)
          .data.some(part => part > 0)
      }).length,
  )

story('list: search, filters, tabs, a row’s menu, acts on several rows', async ({ visitor }) => {
  for (const title of ['First of two', 'Second of two']) {
    await createDraft(visitor, title)
    await visitor.click({ role: 'button', name: 'Save' })
    await until(`the draft ${title}`, () =>
      visitor.evaluate(title => document.title.startsWith(title), title),
    )
  }
  await open(visitor, '/tests/list/ended')
  const rows = () => visitor.evaluate(() => document.querySelectorAll('#rows tbody tr').length)
  await visitor.write('.search-field input', 'Nothing of that name')
  await expect.poll(rows).toBe(0)
  expect(await visitor.url()).toContain('search=Nothing')
  await visitor.write('.search-field input', 'Spring')
  await expect.poll(rows).toBe(1)
  await visitor.choose({ role: 'combobox', name: 'Kind of test' }, 'Theme')
  await expect.poll(rows).toBe(0)
  await visitor.choose({ role: 'combobox', name: 'Kind of test' }, 'Kind: all')
  await expect.poll(rows).toBe(1)

  await visitor.click({ role: 'button', name: `Actions for ${past}` })
  await visitor.see({ role: 'link', name: 'Open report' })
  expect(await menuGap(visitor), 'the menu is next to its button').toBeLessThan(6)
  await visitor.press('Escape')
  await visitor.miss({ role: 'link', name: 'Open report' })
  await visitor.click({ role: 'button', name: `Actions for ${past}` })
  await visitor.click({ role: 'link', name: 'Delete…' })
  await visitor.see({ role: 'heading', name: `Delete ${past}?` })
  expect(await isModal(visitor)).toBe(true)
  await visitor.press('Escape')
  await visitor.miss('dialog[open]')
  await until(
    'the question has gone from the address',
    async () => !(await visitor.url()).includes('ask='),
  )

  await visitor.click({ role: 'link', name: /^Drafts/ })
  await until('the drafts', async () => (await visitor.url()).includes('/tests/list/drafts'))
  await expect.poll(rows).toBe(2)
  await visitor.click({ role: 'checkbox', name: 'Choose First of two' })
  await visitor.see('.chosen-bar')
  await visitor.click({ role: 'checkbox', name: 'Choose all on this page' })
  await visitor.click({ role: 'button', name: 'Delete drafts…' })
  await visitor.see({ role: 'heading', name: 'Delete 2 drafts?' })
  await visitor.click({ role: 'button', name: 'Delete 2 drafts' })
  await visitor.see({ role: 'heading', name: /No drafts/ })
  await isLoaded(visitor)
})

story(
  'report: charts are drawn, tabs change in place, texts are edited in a dialog',
  async ({ visitor }) => {
    await open(visitor, '/tests/list/ended')
    await visitor.click({ role: 'link', name: new RegExp(`^${past}`) })
    await visitor.see({ role: 'heading', name: past })
    await expect.poll(() => drawnCharts(visitor)).toBe(2)
    await visitor.evaluate(() => {
      ;(window as { marked?: boolean }).marked = true
    })
    await visitor.click({ role: 'link', name: 'Devices' })
    await until('the tab', () =>
      visitor.evaluate(
        () => document.querySelector('#panel [aria-current=page]')?.textContent === 'Devices',
      ),
    )
    await visitor.back()
    await expect.poll(() => drawnCharts(visitor)).toBe(2)
    expect(
      await visitor.evaluate(() => (window as { marked?: boolean }).marked),
      'the page was not loaded again',
    ).toBe(true)
    await visitor.click({ role: 'checkbox', name: 'Show as table' })
    await visitor.see('.chart-table table')

    const words = async () => {
      await visitor.click({ role: 'button', name: 'More' })
      await visitor.click({ role: 'link', name: /^Name and hypothesis/ })
      await visitor.see({ role: 'dialog', name: 'Name and hypothesis' })
      expect(await isModal(visitor)).toBe(true)
    }
    await words()
    await visitor.click({ role: 'link', name: 'Cancel' })
    await visitor.miss('dialog[open]')
    await words()
    await visitor.press('Escape')
    await visitor.miss('dialog[open]')
    await words()
    await visitor.write(
      'dialog[open] [name=hypothesisDescription]',
      'A banner brings the season to mind.',
    )
    await visitor.click({ role: 'button', name: 'Save' })
    await until('the new hypothesis', () =>
      visitor.evaluate(
        () =>
          !document.querySelector('dialog[open]') &&
          document
            .querySelector<HTMLTextAreaElement>('[name=hypothesisDescription]')
            ?.value.startsWith('A banner') === true,
      ),
    )
    await isLoaded(visitor)
  },
)

story(
  'editor: an element is picked in the shop’s page and changed by its controls, and all changes are saved',
  async ({ visitor }) => {
    await createDraft(visitor, 'By another browser')
    await chooseProducts(visitor)
    const shop = visitor.frame('iframe[name=preview]'),
      button = '.product-form__submit'
    const style = (name: 'fontSize' | 'backgroundColor') =>
      shop.evaluate(
        (selector, name) => getComputedStyle(document.querySelector(selector)!)[name],
        button,
        name,
      )
    /**
     * Picks the element at the selector, or drags it to `to`. The picker's layer covers the page
     * and receives the mouse.
     */
    const point = async (selector: string, to?: string) => {
      await visitor.see(aliveChanges)
      await visitor.click({ role: 'button', name: 'Pick an element' })
      await until(
        'the picker',
        async () => (await visitor.text('.picker-label b'))?.includes('“') === true,
      )
      await until(selector, () =>
        shop.evaluate(selector => {
          document.querySelector(selector)!.scrollIntoView({ block: 'center' })
          return true
        }, selector),
      )
      await (to === undefined ? shop.drag(selector) : shop.drag(selector, to))
      await visitor.miss('.picker-bar')
    }
    await point(button)
    await visitor.see({ role: 'textbox', name: 'Text' })
    expect(
      await visitor.evaluate(() => (document.activeElement as HTMLTextAreaElement).value),
      'the first control has the focus',
    ).toBe('Add to cart')
    await visitor.write({ role: 'textbox', name: 'Text' }, 'Take it home')
    await expect.poll(() => shop.text(button)).toBe('Take it home')
    await visitor.write({ role: 'textbox', name: 'Text size' }, '23')
    await expect.poll(() => style('fontSize')).toBe('23px')
    await visitor.write({ role: 'textbox', name: 'Background' }, '#0b3d4f')
    await expect.poll(() => style('backgroundColor')).toBe('rgb(11, 61, 79)')
    // “Saved” on the screen may mean the change before, so ask the server.
    await until('saved by itself', () =>
      visitor.evaluate(async () => (await (await fetch(location.href)).text()).includes('#0b3d4f')),
    )
    await visitor.reload()
    await until(
      'the element’s name, by the page in the preview',
      async () => (await visitor.text('.change summary'))?.startsWith('Button “') === true,
    )
    await expect.poll(() => style('backgroundColor')).toBe('rgb(11, 61, 79)')
    expect([await shop.text(button), await style('fontSize')]).toEqual(['Take it home', '23px'])

    await point('h1', '.product__text')
    const below = () => shop.evaluate(() => document.querySelector('.product-form ~ h1') !== null)
    await until('the title below the form', below)
    await visitor.press('z', 'Control')
    await until('the title above it again', async () => !(await below()))
    await visitor.click({ role: 'button', name: 'Redo' })
    await until('the title below it once more', below)
    const file = join(product!.dataDir, 'picture.png')
    await sharp({ create: { width: 640, height: 480, channels: 3, background: '#7a4a2b' } })
      .png()
      .toFile(file)
    const photo = 'main img'
    const before = await shop.evaluate(
      selector => document.querySelector<HTMLImageElement>(selector)!.src,
      photo,
    )
    await point(photo)
    await visitor.upload('.picture-upload input[type=file]', file)
    await until(
      'the uploaded picture in the preview',
      async () =>
        await shop
          .evaluate(selector => document.querySelector<HTMLImageElement>(selector)?.src, photo)
          .then(src => src !== undefined && src !== before),
    )
    await visitor.click({ role: 'button', name: 'Side by side' })
    await until('both arms', () =>
      visitor.evaluate(() => document.querySelectorAll('.frame-pages iframe').length === 2),
    )
    await isLoaded(visitor)
  },
)

story(
  'a running test: its figures update themselves, a dialog ends it, and its variant is applied',
  async ({ visitor }) => {
    await createDraft(visitor, 'Ends today')
    await chooseProducts(visitor)
    await visitor.click({ role: 'button', name: 'Add by CSS selector' })
    await visitor.write('[name="changes.0.selector"]', '.product-form__submit')
    await visitor.write('[name="changes.0.value"]', 'Add to basket')
    await visitor.click({ role: 'button', name: 'Launch test' })
    await until('the launch', async () =>
      /\/tests\/[0-9a-f-]{36}\?launched/.test(await visitor.url()),
    )
    const testId = /[0-9a-f-]{36}/.exec(await visitor.url())![0]
    await sendVisitors(product!, testId, 8)
    const visitors = () =>
      visitor.evaluate(() =>
        [...document.querySelectorAll('.result-table tbody tr')].reduce(
          (sum, row) => sum + Number(row.querySelector('td')!.textContent),
          0,
        ),
      )
    await expect.poll(visitors, { timeout: 60_000 }).toBe(8)
    expect(await visitor.text('.live-note')).toContain('Updated just now')
    // Only one chart: the chance to win has no value yet.
    await expect.poll(() => drawnCharts(visitor)).toBe(1)

    const end = { role: 'link', name: 'End test' } as const,
      dialog = 'dialog#end-test[open]'
    await visitor.click(end)
    await visitor.see(dialog)
    expect(await isModal(visitor)).toBe(true)
    await visitor.press('Escape')
    await visitor.miss(dialog)
    await visitor.click(end)
    await visitor.click({ role: 'link', name: 'Keep running' })
    await visitor.miss(dialog)
    await visitor.click(end)
    await visitor.click(`${dialog} button.danger`)
    await visitor.click({ role: 'link', name: 'Apply variant' })
    await visitor.see({ role: 'heading', name: 'Apply variant of Ends today?' })
    expect(await isModal(visitor)).toBe(true)
    await visitor.click('dialog[open] footer button:not([type=button])')
    await until('the variant is applied', async () =>
      /Variant applied \d/.test((await visitor.text('.page-head')) ?? ''),
    )
    await isLoaded(visitor)
  },
)

story(
  'inside the shop’s admin: the address follows the app, and leads back to the page',
  async ({ visitor }) => {
    const admin = `${product!.shop}/admin/apps/twinshelf`,
      app = visitor.frame('iframe')
    await visitor.goto(admin)
    await app.click({ role: 'link', name: /^Ended/ })
    await expect.poll(() => visitor.url()).toBe(`${admin}/tests/list/ended`)
    await app.click({ role: 'link', name: new RegExp(`^${past}`) })
    await expect.poll(() => visitor.url()).toMatch(/\/twinshelf\/tests\/[0-9a-f-]{36}$/)
    const report = await visitor.url()
    await visitor.evaluate(() => history.back())
    await expect.poll(() => visitor.url()).toBe(`${admin}/tests/list/ended`)
    await app.click({ role: 'link', name: new RegExp(`^${past}`) })
    await expect.poll(() => visitor.url()).toBe(report)
    await visitor.reload()
    await app.see({ role: 'heading', name: past })
    expect(await visitor.url()).toBe(report)
  },
)

story(
  'billing: the slider’s code comes with the first click, and the prices follow it',
  async ({ visitor }) => {
    await open(visitor, '/settings/billing')
    const isAlive = () => visitor.has('[data-island=plan-chooser][data-alive]')
    const price = () => visitor.text('.plan-card .plan-price > strong')
    expect(await isAlive()).toBe(false)
    const monthly = await price()
    await visitor.click({ role: 'radio', name: /^Annual/ })
    await until('the island', isAlive)
    await until('the annual price', async () => (await price()) !== monthly)
    await until('the address', async () => (await visitor.url()).includes('billing=annual'))
    await isLoaded(visitor)
  },
)
