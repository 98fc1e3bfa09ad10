import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { BrandStyle, Font, FontEntry } from '../domain/brand-style.ts'
import { buttonLooks, type ButtonLooks, mainButton } from './brand-reader-buttons.ts'
import { Cascade, find, type PageElement } from './brand-reader-cascade.ts'
import { availableFonts, fontOf, usedFonts } from './brand-reader-fonts.ts'
import { type Fetch, type ReadPage, readPages } from './brand-reader-pages.ts'
import { patternsOf } from './brand-reader-patterns.ts'
import type { FetchedPage, Platform } from './platform/adapter.ts'
import type { ShopHosts } from './redirect-urls.ts'

export type Brand = { brandStyle: BrandStyle; fonts: FontEntry[] }
/** What was read, and of which texts, by address. */
export type Reading = { brand: Brand; texts: Map<string, string> }

/**
 * What the shop's pages and stylesheets say of its look. The same texts give the same, so that a reading before stands
 * as long as the shop still answers with what it was made of: fetching is cheap, working out is not.
 */
export async function readBrand(platform: Platform, hosts: ShopHosts, before?: Reading): Promise<Reading> {
  const known = await platform.searchPages(hosts.shop, '')
  const texts = new Map<string, string>([['pages', JSON.stringify(known.map(({ path, kind }) => [kind, path]))]])
  const fetch = async (url: string): Promise<FetchedPage> => {
    const page = await platform.fetchPage(hosts.shop, url)
    texts.set(url, createHash('sha256').update(`${page.status} ${page.type} ${page.text}`).digest('base64'))
    return page
  }
  if (before && await isUnchanged(before, texts, fetch)) return before
  return { brand: await workOut(await readPages(fetch, hosts, known)), texts }
}

async function isUnchanged(before: Reading, texts: Map<string, string>, fetch: Fetch): Promise<boolean> {
  for (const url of before.texts.keys()) if (url !== 'pages') await fetch(url).catch(() => null)
  return [...before.texts].every(([url, text]) => texts.get(url) === text)
}

async function workOut(pages: ReadPage[]): Promise<Brand> {
  const cascades: Cascade[] = [], used: Font[] = []
  for (const { $, rules } of pages) {
    const cascade = new Cascade($, rules)
    cascades.push(cascade)
    used.push(...usedFonts(cascade))
    // A large page takes a while; others are let in between.
    await setImmediate()
  }
  // The product page knows the button that matters; pages are in the order home, collection, product.
  const [buttonOn, button] = firstOf(cascades.toReversed(), mainButton) ?? []
  const body = bodyFont(cascades)
  const looks = buttonOn && button ? buttonLooks(buttonOn, button) : plainButton
  return {
    brandStyle: {
      id: null, updatedAt: null,
      title: headingFont(cascades) ?? body, body, label: labelFont(cascades) ?? body,
      buttonText: buttonOn && button ? fontOf(buttonOn.look(buttonOn.wordsOf(button))) : body,
      patterns: patternsOf(cascades, looks),
    },
    fonts: availableFonts(pages.flatMap(page => page.faces), used),
  }
}

const plainButton: ButtonLooks = { buttonStyle: 'Text', buttonSize: 'medium', buttonBackground: null, buttonText: '#000000', buttonBorder: null, shape: 'None' }

function firstOf(cascades: Cascade[], pick: (cascade: Cascade) => PageElement | null): [Cascade, PageElement] | null {
  for (const cascade of cascades) {
    const found = pick(cascade)
    if (found) return [cascade, found]
  }
  return null
}

function headingFont(cascades: Cascade[]): Font | null {
  for (const selector of ['h1', 'h2', 'h3']) {
    const found = firstOf(cascades, cascade => find(cascade.$, selector).find(element => cascade.isShown(element)) ?? null)
    if (found) return fontOf(found[0].look(found[1]))
  }
  return null
}

/** The font that most of the running text is set in; of a shop without any, the page's own. */
function bodyFont(cascades: Cascade[]): Font {
  const texts = cascades.flatMap(cascade => find(cascade.$, 'main p, main li, [role="main"] p, #main p').map(element => [cascade, element] as const))
  const [body] = find(cascades[0]!.$, 'body')
  return mostFrequent(texts, (cascade, element) => cascade.ownText(element).length) ?? fontOf(cascades[0]!.look(body!))
}

const labelFont = (cascades: Cascade[]): Font | null =>
  mostFrequent(cascades.flatMap(cascade => find(cascade.$, 'label, legend').map(element => [cascade, element] as const)), () => 1)

function mostFrequent(elements: (readonly [Cascade, PageElement])[], weightOf: (cascade: Cascade, element: PageElement) => number): Font | null {
  const sums = new Map<string, { font: Font; sum: number }>()
  for (const [cascade, element] of elements) {
    if (!cascade.isShown(element)) continue
    const font = fontOf(cascade.look(cascade.wordsOf(element)))
    const key = JSON.stringify(font)
    const sum = (sums.get(key)?.sum ?? 0) + weightOf(cascade, element)
    sums.set(key, { font, sum })
  }
  return [...sums.values()].toSorted((a, b) => b.sum - a.sum)[0]?.font ?? null
}
