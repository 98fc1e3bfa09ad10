import type { Breakdown } from '../../../domain/reports/breakdown.ts'
import { dataGates } from '../../../domain/reports/goal-result.ts'
import { swaps } from '../../list-links.tsx'
import { isFiltered, noFilters } from '../report-links.ts'
import { fromTheStart, tabPath, type TabState } from './report-tab-links.tsx'

/** Says from which counts on arms are compared. */
export const gateNote = (what: string, conversions: string): string =>
  `${what} is compared once it has ${dataGates.visitorsPerArm} visitors per arm and ${dataGates.conversions} ${conversions}, at least ${dataGates.conversionsPerArm} per arm.`

/** Shown for a breakdown without rows: there is nothing yet, or nothing matches. */
export function Empty({
  breakdown,
  state,
  isSearched,
}: {
  breakdown: Breakdown
  state: TabState
  isSearched: boolean
}) {
  const narrowed = isFiltered(state) || isSearched
  const what = breakdown === 'orderType' ? 'order' : isSearched ? 'site' : 'visitor'
  return (
    <div class="empty" {...swaps('#panel')}>
      <EmptyShelves />
      {narrowed ? (
        <>
          <h3>No {what} matches</h3>
          <p>
            {isSearched ? (
              <>
                Nothing was found for “{state.search}”{isFiltered(state) && ' with these filters'}.
              </>
            ) : (
              'No visitor of this test matches these filters.'
            )}
          </p>
          <div class="row">
            <a
              class="button secondary"
              href={tabPath({ ...fromTheStart(state), ...noFilters, search: '' })}
            >
              Show all
            </a>
          </div>
        </>
      ) : (
        <>
          <h3>{breakdown === 'orderType' ? 'No orders yet' : 'No visitors yet'}</h3>
          <p>
            {breakdown === 'orderType'
              ? 'Orders of visitors who saw the test appear here by type: one-time, first of a subscription, renewal.'
              : 'Figures appear seconds after the first visit to a tested page.'}
          </p>
        </>
      )}
    </div>
  )
}

/** A drawing shown instead of rows. */
export const EmptyShelves = () => (
  <svg viewBox="0 0 72 56" aria-hidden="true">
    <rect class="shelf" x="4" y="24" width="64" height="3" rx="1.5" />
    <rect class="shelf" x="4" y="52" width="64" height="3" rx="1.5" />
    <rect class="ghost" x="14" y="6.5" width="14" height="16" rx="3" />
    <rect class="ghost-accent" x="42" y="34.5" width="14" height="16" rx="3" />
  </svg>
)
