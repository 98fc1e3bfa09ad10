import { createHash } from 'node:crypto'
import type { BrandStyle, Font, FontEntry } from '../../domain/brand/brand-style.ts'
import { buttonLooks, type ButtonLooks, mainButton } from './brand-reader-buttons.ts'
import { availableFonts, fontOf, usedFonts } from './brand-reader-fonts.ts'
import { type Fetch, findPages, type ReadPage, readPage } from './brand-reader-pages.ts'
import { patternsOf } from './brand-reader-patterns.ts'
import type { PageElement, PageTree } from './brand-reader-tree.ts'
import type { FetchedPage, Platform } from '../platform/adapter.ts'
import type { ShopHosts } from '../drafts/redirect-urls.ts'
import type { ShopBrowser } from '../browser/shop-browser.ts'

export type Brand = { brandStyle: BrandStyle; fonts: FontEntry[] }
/**
 * A brand, and what we read it from: `texts` maps each fetched address to a hash of its answer, and
 * `pages` to the list of the shop's pages.
 */
export type Reading = { brand: Brand; texts: Map<string, string> }

/**
 * Reads the shop's brand style and fonts from its pages and stylesheets, in a browser. The same
 * texts always give the same brand. So if the shop still answers with the texts of the reading
 * `before`, that reading is returned: fetches are cheap, a browser is expensive.
 */
export async function readBrand(
  platform: Platform,
  browser: ShopBrowser,
  hosts: ShopHosts,
  before?: Reading,
): Promise<Reading> {
  const known = await platform.searchPages(hosts.shop, '')
  const texts = new Map<string, string>([
    ['pages', JSON.stringify(known.map(({ path, kind }) => [kind, path]))],
  ])
  const fetched = new Map<string, Promise<FetchedPage>>()
  const fetch = async (url: string): Promise<FetchedPage> => {
    const asked = fetched.get(url) ?? platform.fetchPage(hosts.shop, url)
    fetched.set(url, asked)
    const page = await asked
    texts.set(
      url,
      createHash('sha256').update(`${page.status} ${page.type} ${page.text}`).digest('base64'),
    )
    return page
  }
  if (before && (await isUnchanged(before, texts, fetch))) return before
  const found = await findPages(fetch, hosts, known)
  const read = await browser.read(hosts, async pages => {
    const all: ReadPage[] = []
    for (const page of found) all.push(await readPage(pages, fetch, hosts, page))
    return all
  })
  return { brand: brandOf(read), texts }
}

async function isUnchanged(
  before: Reading,
  texts: Map<string, string>,
  fetch: Fetch,
): Promise<boolean> {
  await Promise.all(
    [...before.texts.keys()].map(url => (url === 'pages' ? null : fetch(url).catch(() => null))),
  )
  return [...before.texts].every(([url, text]) => texts.get(url) === text)
}

function brandOf(read: ReadPage[]): Brand {
  const pages = read.map(({ tree }) => tree)
  // Pages are in the order home, collection, product. The product page comes first here, because it
  // has the most important button.
  const [buttonOn, button] = firstOf(pages.toReversed(), mainButton) ?? []
  const body = bodyFont(pages)
  const looks = button ? buttonLooks(button) : plainButton
  return {
    brandStyle: {
      id: null,
      updatedAt: null,
      title: headingFont(pages) ?? body,
      body,
      label: labelFont(pages) ?? body,
      buttonText: buttonOn && button ? fontOf(buttonOn.wordsOf(button).look) : body,
      patterns: patternsOf(pages, looks),
    },
    fonts: availableFonts(
      read.flatMap(page => page.faces),
      pages.flatMap(usedFonts),
    ),
  }
}

const plainButton: ButtonLooks = {
  buttonStyle: 'Text',
  buttonSize: 'medium',
  buttonBackground: null,
  buttonText: '#000000',
  buttonBorder: null,
  shape: 'None',
}

function firstOf(
  pages: PageTree[],
  pick: (page: PageTree) => PageElement | null,
): [PageTree, PageElement] | null {
  for (const page of pages) {
    const found = pick(page)
    if (found) return [page, found]
  }
  return null
}

function headingFont(pages: PageTree[]): Font | null {
  for (const name of ['h1', 'h2', 'h3']) {
    const found = firstOf(pages, page => page.named([name]).find(({ isShown }) => isShown) ?? null)
    if (found) return fontOf(found[1].look)
  }
  return null
}

/**
 * The font of most of the running text. A shop without running text gets the font of its first
 * page's body.
 */
function bodyFont(pages: PageTree[]): Font {
  const texts = pages.flatMap(page =>
    page.find('runningText').map(element => [page, element] as const),
  )
  return mostFrequent(texts, element => element.words) ?? fontOf(pages[0]!.body.look)
}

const labelFont = (pages: PageTree[]): Font | null =>
  mostFrequent(
    pages.flatMap(page => page.find('label').map(element => [page, element] as const)),
    () => 1,
  )

function mostFrequent(
  elements: (readonly [PageTree, PageElement])[],
  weightOf: (element: PageElement) => number,
): Font | null {
  const sums = new Map<string, { font: Font; sum: number }>()
  for (const [page, element] of elements) {
    if (!element.isShown) continue
    const font = fontOf(page.wordsOf(element).look)
    const key = JSON.stringify(font)
    const sum = (sums.get(key)?.sum ?? 0) + weightOf(element)
    sums.set(key, { font, sum })
  }
  return [...sums.values()].toSorted((a, b) => b.sum - a.sum)[0]?.font ?? null
}
