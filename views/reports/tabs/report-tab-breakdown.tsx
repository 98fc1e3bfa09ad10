import { canCompare, unknownCountry, type Breakdown } from '../../../domain/reports/breakdown.ts'
import { formatCount } from '../../../domain/figures.ts'
import { goals } from '../../../domain/reports/goal.ts'
import { untoldFacts } from '../../../domain/imports/import-facts.ts'
import { partsAreHints } from '../../../domain/reports/part-words.ts'
import { isSplitBroken, notCompared } from '../../../domain/reports/uncompared.ts'
import { swaps } from '../../list-links.tsx'
import { capNote } from '../report-capped.tsx'
import { notInFile } from '../report-check.tsx'
import { TabPager } from './report-tab-links.tsx'
import {
  type BreakdownList,
  type BreakdownProps,
  looks,
  type TabTest,
} from './report-breakdown-columns.ts'
import { Empty, EmptyShelves, gateNote } from './report-breakdown-empty.tsx'
import { focusable, Table } from './report-breakdown-table.tsx'

/** A test's figures, row by row and arm by arm. */
export function BreakdownCard({
  breakdown,
  state,
  list,
  currency,
  name = 'list',
  test,
  search,
}: BreakdownProps) {
  const { title, noun } = looks[breakdown],
    { rows } = list
  const id = `by-${breakdown}`,
    goal = goals[list.goal].label.toLowerCase()
  const untold = test.notInFile.find(fact => fact === breakdown)
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        {rows.length > 0 && (
          <span class="note">
            {isSplitBroken(test)
              ? notCompared
              : canCompare(breakdown, list.goal)
                ? `Lift and chance to win: ${goal}`
                : `Not compared: orders of one type have no ${goal}`}
          </span>
        )}
      </div>
      {!untold && search}
      <div id={`${id}-rows`}>
        {untold ? (
          <div class="empty">
            <EmptyShelves />
            <h3>{notInFile.words}</h3>
            <p>The imported file does not say {untoldFacts[untold]}.</p>
          </div>
        ) : rows.length === 0 ? (
          <Empty
            breakdown={breakdown}
            state={state}
            isSearched={search !== undefined && state.search !== ''}
          />
        ) : (
          <>
            <div class="table-scroll" {...(name === null && focusable(id))} {...swaps('#panel')}>
              <Table
                breakdown={breakdown}
                state={state}
                list={list}
                currency={currency}
                name={name}
                test={test}
              />
            </div>
            <footer class="card-foot" {...swaps('#panel')}>
              <span class="breakdown-note">
                {footnotes(breakdown, list, test, currency).join(' ')}
              </span>
              {name && list.count > rows.length && (
                <TabPager
                  state={state}
                  name={name}
                  count={list.count}
                  shown={rows.length}
                  noun={noun}
                />
              )}
            </footer>
          </>
        )}
      </div>
    </section>
  )
}

function footnotes(
  breakdown: Breakdown,
  { goal, rows }: BreakdownList,
  test: TabTest,
  currency: string,
): string[] {
  const [control, variant] = rows[0]!.arms,
    who = test.isImported ? 'the file' : 'the network in front of Twinshelf',
    Who = who.replace('t', 'T')
  const cap =
    goals[goal].money && canCompare(breakdown, goal)
      ? capNote(test, currency, ' in the whole test')
      : null
  return [
    ...(breakdown === 'orderType'
      ? [
          `CVR and RPV count all ${formatCount(control.visitors)} visitors of control and ${formatCount(variant.visitors)} of the variant.`,
        ]
      : []),
    ...(breakdown === 'country' && rows.some(row => row.value === unknownCountry)
      ? [
          rows.length > 1
            ? `Unknown: ${who} did not say the country of these visitors.`
            : `${Who} did not say the country of these visitors.`,
        ]
      : []),
    ...(test.isImported && breakdown in usualInFile
      ? [
          `Visitors without a ${breakdown} in the file count as ${usualInFile[breakdown as 'device']}.`,
        ]
      : []),
    ...(canCompare(breakdown, goal) && !isSplitBroken(test)
      ? [...(cap ? [cap] : []), partsAreHints, gateNote('A row', 'conversions')]
      : []),
  ]
}

/** How an empty cell of an imported file counts, when other rows have a value there. */
const usualInFile = { device: 'desktop', channel: 'direct' }
