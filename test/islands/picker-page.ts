import { expect, type Frame, type Page } from '@playwright/test'
import { brandPalette } from '../../domain/brand/brand-palette.ts'
import type { BrandStyle } from '../../domain/brand/brand-style.ts'
import { pieceLook } from '../../domain/drafts/page-piece.ts'
import type { ScriptChange } from '../../domain/script/script-config.ts'
import type { IslandOf, IslandPages } from './island-page.ts'
import type { PickerShop } from './picker-shop.ts'

// The page records its own clicks in its title: none may arrive while an element is picked.
export const body = `<main class="product"><h1 class="product__title">Ash mug</h1><img class="product__photo" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" width="80" height="80" alt="A mug">
<p class="product__note">Fired twice</p><button class="buy-button" style="background: #7a4a2b; color: #fff; font-size: 15px" onclick="document.title = 'bought'">Add to cart</button><ul class="picks"><li class="card">Bowl</li><li class="card">Vase</li><li class="card">Jug</li></ul></main>
<script>for (const type of ['mousedown', 'pointerdown', 'click']) document.addEventListener(type, event => { if (event.target.localName !== 'twinshelf-picker') document.title = 'heard ' + type })</script>`

const font = { family: 'Georgia', weight: 400, style: 'normal' as const }
const brandStyle: BrandStyle = {
  id: 'b',
  title: font,
  body: font,
  label: font,
  buttonText: font,
  updatedAt: null,
  patterns: [
    {
      kind: 'Content',
      shape: 'Round',
      buttonStyle: 'Filled',
      buttonSize: 'medium',
      colours: {
        background: '#ffffff',
        heading: '#221100',
        text: '#443322',
        border: null,
        buttonBackground: '#0b3d4f',
        buttonText: '#fffffe',
        buttonBorder: null,
      },
    },
  ],
}
const brand = brandPalette(brandStyle)

const islandsOf = (shop: PickerShop, changes: ScriptChange[]): IslandOf[] => [
  {
    name: 'preview-frame',
    props: {
      urls: [shop.link(0), shop.link(1)],
      titles: ['Control', 'Variant'],
      address: 'pots.example/products/mug',
    },
  },
  {
    name: 'changes-editor',
    props: {
      changes,
      problems: {},
      open: null,
      brand,
      look: pieceLook(brandStyle),
      pages: [
        { path: '/products/mug', url: shop.link(0) },
        { path: '/about', url: `${shop.origin}/about?arm=0` },
      ],
    },
  },
]
/**
 * Opens the preview and the list of changes side by side, as in the editor. `until` 'commit': does
 * not wait for the shop's page.
 */
export const openEditor = (
  page: Page,
  pages: IslandPages,
  shop: PickerShop,
  changes: ScriptChange[] = [],
  until: 'load' | 'commit' = 'load',
) => pages.openAll(page, islandsOf(shop, changes), until)
export const shown = (page: Page): Frame => page.frame({ name: 'preview' })!
export const label = (page: Page) => page.locator('.picker-label b')
export const sent = (page: Page) =>
  page.evaluate(() =>
    [...new FormData(document.querySelector<HTMLFormElement>('#form')!)]
      .map(([name, value]) => `${name}=${String(value)}`)
      .filter(field => field.startsWith('changes')),
  )
export const widthOf = (frame: Frame) => frame.evaluate(() => innerWidth)
export const scrolled = (frame: Frame) => frame.evaluate(() => scrollY)
/**
 * Scrolls as a person does. The page then sends a message to the editor; a test that needs its
 * effect waits for that.
 */
export const movePage = (frame: Frame, y: number) =>
  frame.evaluate(
    to =>
      new Promise(done => {
        addEventListener('scroll', () => requestAnimationFrame(() => requestAnimationFrame(done)), {
          once: true,
        })
        scrollTo(0, to)
      }),
    y,
  )
export async function middleOf(page: Page, selector: string): Promise<[number, number]> {
  const { x, y, width, height } = (await shown(page).locator(selector).boundingBox())!
  return [x + width / 2, y + height / 2]
}

/** The element's entry in the list, by the name that the page gives it. */
export const entry = (page: Page, name: string) =>
  page.locator('.change > details > summary', { hasText: name })
export const pick = async (page: Page, selector: string): Promise<void> => {
  await page.getByRole('button', { name: 'Pick an element' }).click()
  await expect(label(page)).toContainText('“')
  await page.mouse.click(...(await middleOf(page, selector)))
}
