import { listSorts, type ListTab } from '../../domain/tests/ab-test.ts'
import { goalOfSlug, kindOfSlug } from '../../domain/tests/list-filter.ts'
import { listTabSlugs, paths } from '../../domain/paths.ts'
import { listPath, usualSort, type ListState } from '../../views/list-links.tsx'

export const perPage = 50
const tabs = new Map(Object.entries(listTabSlugs).map(([tab, slug]) => [slug, tab as ListTab]))
export const listTabOf = (slug: string): ListTab | undefined => tabs.get(slug)

/** The state of a list, from its address. Invalid values count as the defaults. */
export function listStateOf(tab: ListTab, query: URLSearchParams): ListState {
  const sort = listSorts.find(name => name === query.get('sort')) ?? usualSort(tab)
  const number = Number(query.get('page') ?? 1)
  return {
    tab,
    sort,
    descending: query.get('order') !== 'ascending',
    search: (query.get('search') ?? '').trim().slice(0, 200),
    kind: kindOfSlug(query.get('kind')),
    goal: goalOfSlug(query.get('goal')),
    page: Number.isInteger(number) && number > 1 && number < 10_000 ? number - 1 : 0,
    perPage,
  }
}

/** The origin for an address without a host. */
const own = 'http://app'

/**
 * The page from which an act began, by the address in its form: a list, or the notifications. Null
 * for any other address.
 */
export function backTo(posted: unknown): string | null {
  if (typeof posted !== 'string' || !URL.canParse(posted, own)) return null
  const { origin, pathname, searchParams, hash } = new URL(posted, own)
  if (origin !== own) return null
  if (pathname === paths.settings('notifications')) return pathname
  const tab =
    pathname === paths.home()
      ? 'Active'
      : listTabOf(/^\/tests\/list\/([a-z-]+)$/.exec(pathname)?.[1] ?? '')
  return tab
    ? listPath(listStateOf(tab, searchParams)) + (/^#row-[\w-]{1,64}$/.test(hash) ? hash : '')
    : null
}
