import { amountsIn } from '../domain/amounts.ts'
import { type PageVisit, visitChecks } from '../domain/launch-visit.ts'
import type { LaunchCheck } from '../domain/launch-check.ts'
import { minorDigits } from '../domain/money.ts'
import { matchesPattern } from '../domain/url-pattern.ts'
import { targetsOf } from './arm-states.ts'
import type { EngineContext } from './context.ts'
import { type DraftRow, shopHosts } from './drafts.ts'
import type { JobRun } from './jobs/jobs.ts'
import { launchReadiness } from './launch-ready.ts'
import type { Previews } from './previews.ts'
import { productRows } from './product-rows.ts'
import type { ShopBrowser } from './shop-browser.ts'

/** Each is opened in both arms: enough to meet every kind of page that a test is likely to be about. */
const mostPages = 4

/** Opens a draft's pages in a real browser, as its previews show either arm, and answers what was found. */
export async function visitDraft(context: EngineContext, previews: Previews, browser: ShopBrowser, draft: DraftRow, { progress, signal }: Pick<JobRun, 'progress' | 'signal'>): Promise<LaunchCheck[]> {
  const { store_id: storeId, draft_id: id } = draft
  const hosts = await shopHosts(context.db.kysely, storeId)
  const products = draft.kind === 'Price' ? await productRows(context.db.kysely, { storeId, draftId: id }) : []
  const paths = await pathsOf(context, draft, products.map(({ path }) => path), hosts.shop)
  // What has no page to look at yet is said by the other checks.
  if (paths.length === 0) return []
  const selectors = [...new Set(draft.dom_selectors.flatMap(({ actions }) => actions.map(({ selector }) => selector.trim())).filter(Boolean))]
  const decimals = minorDigits(products[0]?.currency ?? 'USD')
  const visits: PageVisit[] = []
  await browser.use(hosts, signal, async pages => {
    for (const path of paths) {
      const urls = await previews.urls({ storeId, of: 'draft', id, hosts, pages: [path] })
      for (const arm of [0, 1] as const) {
        await progress(visits.length / (2 * paths.length), `Opening ${path} in the ${arm === 0 ? 'control' : 'variant'}, ${visits.length + 1} of ${2 * paths.length}`)
        const { text, ...seen } = await pages.look(urls[arm], 'desktop', selectors)
        visits.push({ ...seen, path, arm, amounts: products.length > 0 ? amountsIn(text, decimals) : [] })
      }
    }
  })
  return visitChecks({
    kind: draft.kind, selectors, visits, targets: targetsOf(draft), redirectUrl: draft.redirect_url, hypotheses: [draft.control_hypothesis_id, draft.variant_hypothesis_id],
    prices: products.filter(({ path }) => paths.includes(path)).flatMap(({ path, title, variants: [first] }) => (first ? [{ path, title, control: first.controlPrice, variant: first.variantPrice }] : [])),
  })
}

async function pathsOf(context: EngineContext, draft: DraftRow, products: string[], shop: string): Promise<string[]> {
  if (draft.kind === 'Price') return products.slice(0, mostPages)
  if (draft.kind === 'Theme' || draft.kind === 'Api') {
    const product = (await context.platform.searchPages(shop, '')).find(({ kind }) => kind === 'product')
    return ['/', ...(product ? [product.path] : [])]
  }
  const patterns = JSON.parse((await launchReadiness(context, draft)).ready.pages) as (string | null)[]
  const found = new Set<string>()
  const all = patterns.some(pattern => pattern?.includes('*')) ? await context.platform.searchPages(shop, '') : []
  // One of each pattern first, so that every change has a page of its own.
  for (const pattern of patterns) {
    const path = pattern?.includes('*') ? all.find(page => matchesPattern(pattern, page.path) && !found.has(page.path))?.path : pattern
    if (path) found.add(path)
  }
  return [...found].slice(0, mostPages)
}
