import { paths } from '../domain/paths.ts'
import { Icon } from './icons.tsx'
import { filtersForm } from './report-tab-filters.tsx'
import type { TabState } from './report-tab-links.tsx'

/** Finds a site among the referrers while it is typed; without scripts on Enter. A field of the filters' form, so that neither loses the other. */
export function ReferrerSearch({ state }: { state: TabState }) {
  const rows = '#by-referrer-rows'
  return (
    <search class="toolbar" aria-label="Sites">
      <label class="search-field"><span class="visually-hidden">Search sites</span><Icon name="search" />
        <input type="search" id="search-sites" name="search" form={filtersForm} value={state.search} placeholder="Search sites" maxLength={200} autocomplete="off"
          hx-get={paths.report(state.testId, state.tab)} hx-trigger="input delay:250ms" hx-include={`#${filtersForm}`} hx-target={rows} hx-select={rows} hx-swap="outerHTML" hx-push-url="true" hx-sync="this:replace" />
        <kbd aria-hidden="true">/</kbd>
      </label>
    </search>
  )
}
