import { amountsIn } from '../../../domain/amounts.ts'
import { missingOf, type PageVisit, visitChecks } from '../../../domain/tests/launch-visit.ts'
import type { LaunchCheck } from '../../../domain/tests/launch-check.ts'
import { defaultCurrency, minorDigits } from '../../../domain/money.ts'
import { matchesPattern } from '../../../domain/tests/url-pattern.ts'
import { targetsOf } from '../arm-states.ts'
import type { EngineContext } from '../../context.ts'
import { type DraftRow, shopHosts } from '../../drafts/draft-rows.ts'
import type { JobRun } from '../../jobs/jobs.ts'
import { launchReadiness } from './launch-ready.ts'
import { pageKinds } from '../../platform/adapter.ts'
import type { Previews } from '../../drafts/previews.ts'
import { type ProductRow, productRows } from '../../products/product-rows.ts'
import { testedPages } from '../../script/script-body.ts'
import type { ShopBrowser } from '../../browser/shop-browser.ts'

/**
 * How many pages we open at most, each in both arms: enough for every kind of page that a test is
 * likely to be about.
 */
const maxPages = 4
/**
 * Pages to open: `first` in any case, `further` only while something is not found. `matching`: how
 * many of the shop's pages are tested.
 */
type Tour = { first: string[]; further: string[]; matching: number }

/** Opens the previews of both arms of a draft in a real browser and returns what it found. */
export async function visitDraft(
  context: EngineContext,
  previews: Previews,
  browser: ShopBrowser,
  draft: DraftRow,
  { progress, signal }: Pick<JobRun, 'progress' | 'signal'>,
): Promise<LaunchCheck[]> {
  const { store_id: storeId, draft_id: id } = draft
  const hosts = await shopHosts(context.db.kysely, storeId)
  const products =
    draft.kind === 'Price' ? await productRows(context.db.kysely, { storeId, draftId: id }) : []
  const { first: paths, further, matching } = await tourOf(context, draft, products, hosts.shop)
  // If there is no page to open yet, other checks say so.
  if (paths.length === 0) return []
  const selectors = selectorsOf(draft)
  const decimals = minorDigits(products[0]?.currency ?? defaultCurrency)
  const visits: PageVisit[] = []
  await browser.use(hosts, signal, async pages => {
    for (let path; (path = paths[visits.length / 2]) !== undefined;) {
      const urls = await previews.urls({ storeId, of: 'draft', id, hosts, pages: [path] })
      for (const arm of [0, 1] as const) {
        await progress(
          visits.length / (2 * paths.length),
          `Opening ${path} in the ${arm === 0 ? 'control' : 'variant'}, ${visits.length + 1} of ${2 * paths.length}`,
        )
        const { text, ...seen } = await pages.look(urls[arm], 'desktop', selectors)
        visits.push({
          ...seen,
          path,
          arm,
          amounts: products.length > 0 ? amountsIn(text, decimals) : [],
        })
      }
      if (visits.length === 2 * paths.length && missingOf({ selectors, visits }).length > 0)
        paths.push(...further.splice(0, 1))
    }
  })
  return visitChecks({
    kind: draft.kind,
    selectors,
    visits,
    unopened: Math.max(0, matching - paths.length),
    targets: targetsOf(draft),
    redirectUrl: draft.redirect_url,
    hypotheses: [draft.control_hypothesis_id, draft.variant_hypothesis_id],
    prices: products
      .filter(({ path }) => paths.includes(path))
      .map(({ path, title, variants }) => ({
        path,
        title,
        variants: variants.map(({ controlPrice, variantPrice }) => ({
          control: controlPrice,
          variant: variantPrice,
        })),
      })),
  })
}

/**
 * The selectors of everything that the changes need on a page: what they change, and where they
 * move it.
 */
function selectorsOf({ dom_selectors }: DraftRow): string[] {
  const all = dom_selectors.flatMap(({ actions }) =>
    actions.flatMap(({ selector, kind, value }) =>
      kind === 'move' ? [selector, value] : [selector],
    ),
  )
  return [...new Set(all.map(selector => selector.trim()).filter(Boolean))]
}

async function tourOf(
  context: EngineContext,
  draft: DraftRow,
  products: ProductRow[],
  shop: string,
): Promise<Tour> {
  const all = (paths: string[]): Tour => ({
    first: paths.slice(0, maxPages),
    further: [],
    matching: paths.length,
  })
  // Products with two different prices come first, because a product may be in the test without
  // any.
  if (draft.kind === 'Price')
    return all(
      products
        .toSorted((a, b) => Number(isPriced(b)) - Number(isPriced(a)))
        .map(({ path }) => path),
    )
  if (draft.kind === 'Theme' || draft.kind === 'Api') {
    const product = (await context.platform.searchPages(shop, '')).find(
      ({ kind }) => kind === 'product',
    )
    return all(['/', ...(product ? [product.path] : [])])
  }
  const { ready, unmatched } = await launchReadiness(context, draft)
  const written = draft.kind === 'PageElement' ? testedPages(draft) : []
  // Patterns that match no page yet have no page to open.
  const patterns = (JSON.parse(ready.pages) as (string | null)[]).filter(
    (pattern, i): pattern is string => Boolean(pattern) && !unmatched.includes(written[i] ?? ''),
  )
  const known = patterns.some(pattern => pattern.includes('*'))
    ? await context.platform.searchPages(shop, '')
    : []
  const matching = known
    .filter(({ path }) => patterns.some(pattern => matchesPattern(pattern, path)))
    .toSorted((a, b) => pageKinds.indexOf(a.kind) - pageKinds.indexOf(b.kind))
  const first = new Set<string>()
  // First one page of each pattern, so that every change has its own page; then one of each kind of
  // page.
  for (const pattern of patterns) {
    const path = pattern.includes('*')
      ? matching.find(page => matchesPattern(pattern, page.path) && !first.has(page.path))?.path
      : pattern
    if (path) first.add(path)
  }
  const isOpened = (kind: string) =>
    matching.some(page => page.kind === kind && first.has(page.path))
  for (const { path, kind } of matching) if (!isOpened(kind)) first.add(path)
  const opened = [...first].slice(0, maxPages)
  const every = new Set([...opened, ...first, ...matching.map(({ path }) => path)])
  return {
    first: opened,
    further: [...every].slice(opened.length, maxPages),
    matching: every.size,
  }
}

const isPriced = ({ variants }: ProductRow): boolean =>
  variants.some(({ controlPrice, variantPrice }) => controlPrice !== variantPrice)
