import { paths } from '../../../domain/paths.ts'
import { Icon } from '../../icons.tsx'
import { filtersForm } from './report-tab-filters.tsx'
import { listField, tabQuery, type TabState } from './report-tab-links.tsx'

/**
 * Searches the referrers while the merchant types; without scripts on Enter. It is a field of the
 * filters' form, so that a search keeps the filters and the filters keep the search.
 */
export const ReferrerSearch = ({ state }: { state: TabState }) => (
  <search class="toolbar" aria-label="Sites">
    <Field
      state={state}
      what="sites"
      rows="#by-referrer-rows"
      others="#by-country-rows,#clear-filters,#print-narrowed"
    />
  </search>
)

/** Finds a product by its title. The tab has no filters, so the search has its own form. */
export function ProductSearch({
  state,
  carried,
}: {
  state: TabState
  carried: Record<string, string>
}) {
  const kept = [
    ...Object.entries(carried),
    ...tabQuery({ ...state, list: { ...state.list, page: 0 }, search: '' }),
  ]
  return (
    <search aria-label="Products">
      <form id={filtersForm} class="toolbar" action={paths.report(state.testId, state.tab)}>
        {kept.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <Field
          state={state}
          what="products"
          rows="#by-product-rows"
          others="#price-foot,#print-narrowed"
        />
      </form>
    </search>
  )
}

type FieldProps = {
  state: TabState
  what: 'sites' | 'products'
  rows: string
  /** Other parts to replace, because their links contain the search text. */
  others: string
}
function Field({ state, what, rows, others }: FieldProps) {
  // A search keeps the page of the other list. A filter sends the same form, but goes back to its
  // first page.
  const {
    tab,
    second: { page },
  } = state
  return (
    <label class="search-field">
      <span class="visually-hidden">Search {what}</span>
      <Icon name="search" />
      <input
        type="search"
        id={`search-${what}`}
        name="search"
        form={filtersForm}
        value={state.search}
        placeholder={`Search ${what}`}
        maxLength={200}
        autocomplete="off"
        hx-get={paths.report(state.testId, tab)}
        hx-trigger="input delay:250ms"
        hx-include={`#${filtersForm}`}
        hx-target={rows}
        hx-select={rows}
        hx-select-oob={others}
        hx-swap="outerHTML"
        hx-push-url="true"
        hx-sync="this:replace"
        {...(what === 'sites' &&
          page > 0 && { 'hx-vals': JSON.stringify({ [listField(tab, 'second', 'page')]: page }) })}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  )
}
