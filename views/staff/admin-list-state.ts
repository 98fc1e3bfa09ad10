/** The state of a staff list. It is read from the list's address and written into its links. */
export type StaffListState = {
  path: string
  search: string
  sort: string
  descending: boolean
  /** From 0. */
  page: number
  perPage: number
  /** Filters besides the search, by name; '' means not set. */
  filters: Record<string, string>
  /** The defaults, which addresses leave out. */
  usual: { sort: string; descending: boolean }
}

/** Rows on a page of staff's lists. */
export const perPage = 25

/** Address of the list in another state. Defaults are left out. */
export function staffListPath(
  state: StaffListState,
  over: Partial<Omit<StaffListState, 'path' | 'usual'>> = {},
): string {
  const { path, usual, search, sort, descending, page, filters } = { ...state, ...over }
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''))
  if (search) query.set('search', search)
  if (sort !== usual.sort) query.set('sort', sort)
  if (descending !== (sort === usual.sort ? usual.descending : false))
    query.set('order', descending ? 'descending' : 'ascending')
  if (page) query.set('page', String(page + 1))
  return query.size > 0 ? `${path}?${query}` : path
}

/** A filter of a list: its name and values. */
export type Choice = {
  name: string
  label: string
  all: string
  options: readonly (readonly [value: string, label: string])[]
}
