import type { ComponentChildren } from 'preact'
import { tabNamed, type PartTab, type TabSort } from '../../../domain/reports/report-tab.ts'
import { formatCount } from '../../../domain/figures.ts'
import { paths } from '../../../domain/paths.ts'
import { Icon } from '../../icons.tsx'
import { chosenQuery, type Chosen } from '../report-links.ts'

/**
 * The lists of a tab: the first, and on some tabs a second (countries; prices of a price test).
 * Each has its own page and order.
 */
export type ListName = 'list' | 'second'
export type ListState = {
  /** From 0, as the API counts. */
  page: number
  sort: TabSort
  descending: boolean
}
export type TabState = Chosen &
  Record<ListName, ListState> & {
    testId: string
    tab: PartTab
    /** Rows on a page of every list. */
    pageSize: number
    search: string
  }

export const usualPageSize = 10
/**
 * Whether a list is sorted descending by default: figures from the most to the least, names from A
 * to Z.
 */
export const usuallyDescending = (sort: ListState['sort']): boolean =>
  sort !== 'value' && sort !== 'title'
/** The same tab with every list at its first page, for when its rows change. */
export const fromTheStart = (state: TabState): TabState => ({
  ...state,
  list: { ...state.list, page: 0 },
  second: { ...state.second, page: 0 },
})

/**
 * The query parameter for a list's page or order: the bare name for the first list, with the second
 * list's name as a prefix for the second.
 */
export function listField(tab: PartTab, name: ListName, field: keyof ListState): string {
  const prefix = name === 'second' ? (tabNamed(tab).second ?? 'second') : ''
  return prefix ? `${prefix}${field.charAt(0).toUpperCase()}${field.slice(1)}` : field
}

/** The query for a tab's lists and all choices. Defaults are left out. */
export function tabQuery(state: Pick<TabState, 'tab'> & Partial<TabState>): URLSearchParams {
  const { tab, pageSize = usualPageSize, search = '' } = state
  const query = chosenQuery(state)
  if (search) query.set('search', search)
  if (pageSize !== usualPageSize) query.set('pageSize', String(pageSize))
  for (const name of ['list', 'second'] as const) {
    const { sort, descending, page } = state[name] ?? usualList(tab)
    if (sort !== tabNamed(tab).usualSort) query.set(listField(tab, name, 'sort'), sort)
    if (descending !== usuallyDescending(sort))
      query.set(listField(tab, name, 'descending'), String(descending))
    if (page > 0) query.set(listField(tab, name, 'page'), String(page))
  }
  return query
}
export const usualList = (tab: PartTab): ListState => ({
  page: 0,
  sort: tabNamed(tab).usualSort,
  descending: usuallyDescending(tabNamed(tab).usualSort),
})

/** Address of a tab in another state. */
export function tabPath(state: Pick<TabState, 'testId' | 'tab'> & Partial<TabState>): string {
  const query = tabQuery(state),
    path = paths.report(state.testId, state.tab)
  return query.size > 0 ? `${path}?${query}` : path
}

type InList = { state: TabState; name: ListName }
/** Ids of links, different in the two lists. htmx restores the focus by them. */
const linkId = ({ state: { tab }, name }: InList, what: string) =>
  name === 'second' ? `${tabNamed(tab).second}-${what}` : what

/**
 * A column's header. Its link sorts by the column, or reverses the order when the list is already
 * sorted by it.
 */
export function TabSortHead({
  state,
  name,
  sort,
  label,
  ...attributes
}: InList & { sort: ListState['sort']; label: ComponentChildren; class?: string }) {
  const list = state[name],
    isSorted = list.sort === sort
  const descending = isSorted ? !list.descending : usuallyDescending(sort)
  return (
    <th
      scope="col"
      {...attributes}
      aria-sort={isSorted ? (list.descending ? 'descending' : 'ascending') : undefined}
    >
      <a
        id={linkId({ state, name }, `sort-${sort}`)}
        href={tabPath({ ...state, [name]: { page: 0, sort, descending } })}
      >
        {label}
        {isSorted && (list.descending ? ' ↓' : ' ↑')}
      </a>
    </th>
  )
}

/** "11–20 of 43 referrers", and links to the pages. */
export function TabPager({
  state,
  name,
  count,
  shown,
  noun,
}: InList & { count: number; shown: number; noun: readonly [one: string, many: string] }) {
  const { pageSize } = state,
    { page } = state[name]
  const pages = Math.ceil(count / pageSize)
  const range =
    count > shown
      ? `${formatCount(page * pageSize + 1)}–${formatCount(page * pageSize + shown)} of `
      : ''
  const turn = (to: number, label: string, icon: 'back' | 'next') =>
    to < 0 || to >= pages ? (
      <a
        class="button secondary small icon-only"
        role="link"
        aria-disabled="true"
        aria-label={label}
      >
        <Icon name={icon} />
      </a>
    ) : (
      <a
        class="button secondary small icon-only"
        id={linkId({ state, name }, `turn-${icon}`)}
        href={tabPath({ ...state, [name]: { ...state[name], page: to } })}
        aria-label={label}
      >
        <Icon name={icon} />
      </a>
    )
  return (
    <>
      <span>
        {range}
        {formatCount(count)} {noun[count === 1 ? 0 : 1]}
      </span>
      {pages > 1 && (
        <nav class="pager card-foot-end" aria-label={`Pages of ${noun[1]}`}>
          <span>
            Page {formatCount(page + 1)} of {formatCount(pages)}
          </span>
          {turn(page - 1, 'Previous page', 'back')}
          {turn(page + 1, 'Next page', 'next')}
        </nav>
      )}
    </>
  )
}
