import { setTimeout } from 'node:timers/promises'
import type { PerArm } from '../../domain/arm.ts'
import { previewParameter } from '../../domain/script/script-config.ts'
import { matchesPattern } from '../../domain/tests/url-pattern.ts'
import type { AuthTokens } from '../session/auth-tokens.ts'
import type { Platform, ShopPage } from '../platform/adapter.ts'
import { addressOn, shopPath, type ShopHosts } from './redirect-urls.ts'

export type PreviewOf = {
  storeId: string
  of: 'draft' | 'test'
  id: string
  hosts: ShopHosts
  pages: string[]
}
export type Previews = {
  /**
   * Signed links to a tested page of the shop, one for each arm, control first. They are valid for
   * a week.
   */
  urls: (preview: PreviewOf) => Promise<PerArm<string>>
}

// In milliseconds: how long we cache the list of the shop's pages, when we retry after an error,
// and how long a request waits for the list.
const pagesAge = 60_000,
  retryAfter = 10_000,
  timeout = 2_000

export function previews(platform: Platform, tokens: AuthTokens): Previews {
  const known = new Map<string, { until: number; pages: Promise<ShopPage[]> }>()

  /**
   * The shop's pages, at most a minute old. Empty while the shop does not answer: the preview then
   * shows the home page.
   */
  function pagesOf(shop: string): Promise<ShopPage[]> {
    const old = known.get(shop)
    if (old && performance.now() < old.until) return old.pages
    for (const [one, { until }] of known) if (performance.now() >= until) known.delete(one)
    const entry = { until: performance.now() + pagesAge, pages: Promise.resolve<ShopPage[]>([]) }
    const told = platform.searchPages(shop, '').then(
      pages => {
        entry.pages = Promise.resolve(pages)
        return pages
      },
      () => {
        entry.until = performance.now() + retryAfter
        return []
      },
    )
    entry.pages = Promise.race([told, setTimeout(timeout, [], { ref: false })])
    known.set(shop, entry)
    return entry.pages
  }

  /**
   * The path to preview: the page of the first pattern without a wildcard, otherwise an existing
   * page that matches a pattern, otherwise the home page.
   */
  async function pageFor(hosts: ShopHosts, patterns: string[]): Promise<string> {
    const plain = patterns
      .filter(pattern => !pattern.includes('*'))
      .map(pattern => shopPath(pattern, hosts))
      .find(path => path !== null)
    if (plain !== undefined) return plain
    if (patterns.length === 0) return '/'
    return (
      (await pagesOf(hosts.shop)).find(page =>
        patterns.some(pattern => matchesPattern(pattern, page.path)),
      )?.path ?? '/'
    )
  }

  return {
    urls: async ({ storeId, of, id, hosts, pages }) => {
      const path = await pageFor(hosts, pages)
      const link = async (arm: 0 | 1) => {
        const url = new URL(addressOn(hosts, path))
        url.searchParams.set(previewParameter, await tokens.preview({ storeId, of, id, arm }))
        return url.href
      }
      return Promise.all([link(0), link(1)])
    },
  }
}
