import { setImmediate as nextTurn } from 'node:timers/promises'
import type {
  PageFigures,
  ShopFigures,
  Target,
} from '../../domain/lift-assist/lift-assist-rules.ts'
import { pageLabel, templateLabel } from '../../domain/lift-assist/lift-assist-words.ts'
import { assignedTypes, type TemplateType } from '../../domain/themes/template.ts'
import { patternMatcher } from '../../domain/tests/url-patterns.ts'
import type { Platform } from '../platform/adapter.ts'
import { resourcePages } from '../platform/resources.ts'
import { plainPath, templateName } from '../themes/shop-templates.ts'

export type Figures = {
  shop: ShopFigures
  templates: Map<string, PageFigures>
  paths: Map<string, PageFigures>
}
/**
 * Pages that can be tested together, with the merchant's name for them. `paths`: all of them.
 * `patterns`: how a test would name them.
 */
export type Place = Target & {
  label: string
  template: { type: TemplateType; suffix: string } | null
  paths: string[]
  patterns: string[]
  isRunning: boolean
}
export type KnownTest = { pages: string[]; status: string }
type Page = { path: string; title: string; type: TemplateType; suffix: string }

/** Maximum patterns of a page element test. */
const patternLimit = 20
/**
 * How many pages we compare with the tests in one turn of the event loop. A shop has thousands, and
 * everything else waits during a turn.
 */
const pagesATurn = 50

/** Every page of the shop with the template that draws it. */
export async function shopPages(platform: Platform, shop: string): Promise<Page[]> {
  const pages: Page[] = []
  for (const type of assignedTypes)
    for await (const page of resourcePages(platform, shop, type))
      for (const { path, title, suffix } of page) pages.push({ path, title, type, suffix })
  for (const { path, title, kind } of await platform.searchPages(shop, ''))
    if (kind === 'home' || kind === 'cart' || kind === 'search')
      pages.push({ path, title, type: kind, suffix: '' })
  return pages
}

/**
 * The shop's templates that had visitors, then its single pages that had many. Gives other requests
 * a turn in between.
 */
export async function placesOf(
  { shop, templates, paths }: Figures,
  pages: Page[],
  tests: KnownTest[],
): Promise<Place[]> {
  const products = [...templates]
    .filter(([name]) => /^product(\.|$)/.test(name))
    .map(([, figures]) => figures)
    .reduce(add, nobody)
  const isIn = (some: KnownTest[]) => patternMatcher(some.flatMap(test => test.pages))
  const isTested = isIn(tests),
    isRunning = isIn(tests.filter(({ status }) => status !== 'Ended'))
  const place = async (
    what: Pick<
      Place,
      'key' | 'isTemplate' | 'figures' | 'label' | 'template' | 'paths' | 'patterns'
    >,
    type: TemplateType,
  ): Promise<Place> => {
    const sells = type === 'product'
    return {
      ...what,
      sells,
      isCart: type === 'cart',
      others: less(sells ? products : shop, what.figures),
      isTested: await isAny(what.paths, isTested),
      isRunning: await isAny(what.paths, isRunning),
    }
  }
  const ofTemplates = [...templates].flatMap(([name, figures]) => {
    const own = pages.filter(({ type, suffix }) => templateName(type, suffix) === name)
    const [first] = own
    // No page uses this template any more, so its figures are of the past.
    if (!first) return []
    const { type, suffix } = first
    return [
      place(
        {
          key: `template:${name}`,
          isTemplate: true,
          figures,
          label: templateLabel(type, suffix),
          template: { type, suffix },
          paths: own.map(({ path }) => path),
          patterns: patternsOf(
            own.map(({ path }) => path),
            pages.every(page => page.type !== type || page.suffix === suffix),
          ),
        },
        type,
      ),
    ]
  })
  const ofPages = pages.flatMap(({ path, title, type }) => {
    const figures = paths.get(plainPath(path))
    // Home, cart and search are the only pages of their templates, which are listed above.
    if (!figures || type === 'home' || type === 'cart' || type === 'search') return []
    return [
      place(
        {
          key: `path:${plainPath(path)}`,
          isTemplate: false,
          figures,
          label: pageLabel(title),
          template: null,
          paths: [path],
          patterns: [path],
        },
        type,
      ),
    ]
  })
  return Promise.all([...ofTemplates, ...ofPages])
}

async function isAny(paths: string[], is: (path: string) => boolean): Promise<boolean> {
  for (const [n, path] of paths.entries()) {
    if (n % pagesATurn === pagesATurn - 1) await nextTurn()
    if (is(path)) return true
  }
  return false
}

/**
 * One pattern if these are all pages of a type and they are in one folder; otherwise one pattern
 * for each page, up to `patternLimit`.
 */
function patternsOf(paths: string[], isWholeType: boolean): string[] {
  const [folder, ...others] = new Set(paths.map(path => path.slice(0, path.lastIndexOf('/') + 1)))
  return isWholeType && paths.length > 1 && others.length === 0 && folder && folder !== '/'
    ? [`${folder}*`]
    : paths.slice(0, patternLimit)
}

const nobody: PageFigures = { views: 0, visitors: 0, entries: 0, bounces: 0, exits: 0, adders: 0 }
const each = (of: (field: keyof PageFigures) => number): PageFigures => ({
  views: of('views'),
  visitors: of('visitors'),
  entries: of('entries'),
  bounces: of('bounces'),
  exits: of('exits'),
  adders: of('adders'),
})
const add = (a: PageFigures, b: PageFigures): PageFigures => each(field => a[field] + b[field])
const less = (a: PageFigures, b: PageFigures): PageFigures =>
  each(field => Math.max(0, a[field] - b[field]))
