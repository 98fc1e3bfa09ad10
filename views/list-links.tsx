import type { listSorts, ListTab } from '../domain/ab-test.ts'
import { paths } from '../domain/paths.ts'

export type ListSort = (typeof listSorts)[number]
export type ListState = { tab: ListTab; search: string; sort: ListSort; descending: boolean; /** From 0. */ page: number; perPage: number }
/** Address of the list in another state; what is as usual is left out. */
export function listPath(state: Pick<ListState, 'tab'> & Partial<ListState>): string {
  const query = new URLSearchParams()
  if (state.search) query.set('search', state.search)
  if (state.sort && state.sort !== usualSort(state.tab)) query.set('sort', state.sort)
  if (state.descending === false) query.set('order', 'ascending')
  if (state.page) query.set('page', String(state.page + 1))
  const path = state.tab === 'Active' ? paths.home() : paths.tests(state.tab)
  return query.size > 0 ? `${path}?${query}` : path
}
export const usualSort = (tab: ListTab): ListSort => (tab === 'Draft' || tab === 'Scheduled' ? 'createdAt' : 'visitors')

// Parts of the list are swapped in place; without scripts the same links load the page. Whatever swaps a part waits its
// turn at that part: the last click takes the place of one whose answer is still on its way.
export const swaps = (target: string) => ({ 'hx-boost:inherited': 'true', 'hx-target:inherited': target, 'hx-select:inherited': target, 'hx-swap:inherited': 'outerHTML show:none', 'hx-sync:inherited': `${target}:replace` })

/** A column's head; a link sorts by it, and by it the other way round when it is sorted already. */
export function SortHead({ state, sort, label, ...attributes }: { state: ListState; sort: ListSort; label: string; class?: string }) {
  const isSorted = state.sort === sort
  const descending = isSorted ? !state.descending : sort !== 'title'
  return (
    <th scope="col" {...attributes} aria-sort={isSorted ? (state.descending ? 'descending' : 'ascending') : undefined}>
      <a href={listPath({ ...state, sort, descending, page: 0 })}>{label}{isSorted && (state.descending ? ' ↓' : ' ↑')}</a>
    </th>
  )
}
