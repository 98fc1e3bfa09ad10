import type { listSorts, ListTab } from '../domain/tests/ab-test.ts'
import { goalSlug, kindSlug, type ListFilter } from '../domain/tests/list-filter.ts'
import { paths } from '../domain/paths.ts'

export type ListSort = (typeof listSorts)[number]
export type ListState = ListFilter & {
  tab: ListTab
  sort: ListSort
  descending: boolean
  /** From 0. */ page: number
  perPage: number
}
type Asked = Pick<ListState, 'tab'> & Partial<ListState>

const rootOf = (tab: ListTab): string => (tab === 'Active' ? paths.home() : paths.tests(tab))

/** The query of a list's address. Defaults are left out. */
export function listQuery(state: Asked): URLSearchParams {
  const query = new URLSearchParams()
  if (state.search) query.set('search', state.search)
  if (state.kind) query.set('kind', kindSlug(state.kind))
  if (state.goal) query.set('goal', goalSlug(state.goal))
  if (state.sort && state.sort !== usualSort(state.tab)) query.set('sort', state.sort)
  if (state.descending === false) query.set('order', 'ascending')
  if (state.page) query.set('page', String(state.page + 1))
  return query
}

/** Address of the list in another state. */
export function listPath(state: Asked): string {
  const query = listQuery(state)
  return query.size > 0 ? `${rootOf(state.tab)}?${query}` : rootOf(state.tab)
}
export const usualSort = (tab: ListTab): ListSort =>
  tab === 'Draft' || tab === 'Scheduled' ? 'createdAt' : 'visitors'

// htmx replaces parts of the list; without scripts the same links load the page. For each part only
// one request is under way: a new click aborts the request of the previous one.
export const swaps = (target: string) => ({
  'hx-boost:inherited': 'true',
  'hx-target:inherited': target,
  'hx-select:inherited': target,
  'hx-swap:inherited': 'outerHTML show:none',
  'hx-sync:inherited': `${target}:replace`,
})

/**
 * A column's header. Its link sorts by the column, or reverses the order when the list is already
 * sorted by it.
 */
export function SortHead({
  state,
  sort,
  label,
  ...attributes
}: {
  state: ListState
  sort: ListSort
  label: string
  class?: string
}) {
  const isSorted = state.sort === sort
  const descending = isSorted ? !state.descending : sort !== 'title'
  return (
    <th
      role="columnheader"
      scope="col"
      {...attributes}
      aria-sort={isSorted ? (state.descending ? 'descending' : 'ascending') : undefined}
    >
      <a href={listPath({ ...state, sort, descending, page: 0 })}>
        {label}
        {isSorted && (state.descending ? ' ↓' : ' ↑')}
      </a>
    </th>
  )
}

/**
 * Hidden fields of a form that leads to the list: when it is sent, browsers replace its address's
 * query by its fields.
 */
export const Hidden = ({
  values,
  form,
}: {
  values: Iterable<readonly [string, string]>
  form?: string
}) => (
  <>
    {[...values].map(([name, value]) => (
      <input key={name} type="hidden" name={name} value={value} form={form} />
    ))}
  </>
)
