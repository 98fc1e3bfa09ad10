import type { ComponentChildren } from 'preact'
import {
  canCompare,
  unknownCountry,
  type Breakdown,
  type BreakdownArm,
  type BreakdownRow,
  type BreakdownSort,
} from '../domain/breakdown.ts'
import type { Test } from '../domain/ab-test.ts'
import type { Output } from '../domain/contract.ts'
import { formatCount, formatRate } from '../domain/figures.ts'
import { dataGates } from '../domain/goal-result.ts'
import { goals, type Goal } from '../domain/goal.ts'
import { untoldFacts } from '../domain/import-facts.ts'
import { formatMoney } from '../domain/money.ts'
import { lackWords, partsAreHints, partTone, thingOf } from '../domain/part-words.ts'
import type { TestSummary } from '../domain/summary.ts'
import { isSplitBroken, notCompared } from '../domain/uncompared.ts'
import { swaps } from './list-links.tsx'
import { Capped, capNote } from './report-capped.tsx'
import { notInFile } from './report-check.tsx'
import { isFiltered, noFilters } from './report-links.ts'
import {
  fromTheStart,
  TabPager,
  TabSortHead,
  tabPath,
  type ListName,
  type TabState,
} from './report-tab-links.tsx'
import { Chance, Lift } from './result.tsx'

export type BreakdownList = Output<'byDevice'>
type Column = {
  sort: Exclude<BreakdownSort, 'value' | 'lift' | 'chanceToWin'>
  label: string
  title?: string
  goal?: Goal
  unit: 'count' | 'rate' | 'money'
}

const count = (sort: Column['sort'], label: string): Column => ({ sort, label, unit: 'count' })
const ofGoal = (sort: Column['sort'], goal: Goal): Column => ({
  sort,
  label: goals[goal].short,
  title: goals[goal].label,
  goal,
  unit: goals[goal].money ? 'money' : 'rate',
})
const revenue: Column = { sort: 'revenue', label: 'Revenue', unit: 'money' }
const [conversionRate, orderValue, perVisitor] = [
  ofGoal('conversionRate', 'ConversionRate'),
  ofGoal('averageOrderValue', 'AverageOrderValue'),
  ofGoal('revenuePerSession', 'RevenuePerSession'),
]
const ofVisitors: Column[] = [
  count('visitors', 'Visitors'),
  count('orders', 'Orders'),
  revenue,
  conversionRate,
  orderValue,
  perVisitor,
  ofGoal('clickThroughRate', 'ClickThroughRate'),
  ofGoal('addToCartRate', 'AddToCartRate'),
  {
    sort: 'bounceRate',
    label: 'Bounce',
    title: 'Visitors who saw one page and left',
    unit: 'rate',
  },
]

type Look = { title: string; head: string; noun: [one: string, many: string]; columns: Column[] }
const looks: Record<Breakdown, Look> = {
  device: { title: 'By device', head: 'Device', noun: ['device', 'devices'], columns: ofVisitors },
  channel: {
    title: 'By channel',
    head: 'Channel',
    noun: ['channel', 'channels'],
    columns: ofVisitors,
  },
  visitors: {
    title: 'New and returning visitors',
    head: 'Kind',
    noun: ['kind of visitor', 'kinds of visitors'],
    columns: ofVisitors,
  },
  referrer: { title: 'Referrers', head: 'Site', noun: ['site', 'sites'], columns: ofVisitors },
  country: {
    title: 'By country',
    head: 'Country',
    noun: ['country', 'countries'],
    columns: ofVisitors,
  },
  // A type of order has no visitors, clicks or bounces of its own.
  orderType: {
    title: 'By type of order',
    head: 'Type',
    noun: ['type of order', 'types of order'],
    columns: [
      count('orders', 'Orders'),
      count('conversions', 'Buyers'),
      count('units', 'Units'),
      revenue,
      conversionRate,
      orderValue,
      perVisitor,
    ],
  },
}

/** What a list's own figures do not tell: whether its arms may be compared, what was capped for it, and what an imported file does not say. */
export type TabTest = Pick<Test, 'isImported' | 'notInFile'> & {
  summary: Pick<TestSummary, 'split' | 'cappedOrders' | 'orderCap'>
}

type BreakdownProps = {
  breakdown: Breakdown
  state: TabState
  list: BreakdownList
  currency: string
  /** Which of the tab's lists this is; none where it is so short that its order is no question. */
  name?: ListName | null
  test: TabTest
  /** Stands over the table and searches in it. */
  search?: ComponentChildren
}

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

/** From when on arms are compared, in words. */
export const gateNote = (what: string, conversions: string): string =>
  `${what} is compared from ${dataGates.visitorsPerArm} visitors per arm and ${dataGates.conversions} ${conversions} on, at least ${dataGates.conversionsPerArm} per arm.`

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
/** What an empty cell of a file that has others is taken for. */
const usualInFile = { device: 'desktop', channel: 'direct' }

function Table({
  breakdown,
  state,
  list,
  currency,
  name,
  test,
}: Required<Pick<BreakdownProps, 'breakdown' | 'state' | 'list' | 'currency' | 'name' | 'test'>>) {
  const { title, head, columns } = looks[breakdown]
  const isCompared = canCompare(breakdown, list.goal)
  const shown = (label: string, about: string | undefined) =>
    about ? <abbr title={about}>{label}</abbr> : label
  return (
    <table class={isCompared ? 'table breakdown-table' : 'table breakdown-table breakdown-plain'}>
      <caption class="visually-hidden">{title}, control and variant</caption>
      <thead>
        <tr>
          {name ? (
            <TabSortHead state={state} name={name} sort="value" label={head} class="col-name" />
          ) : (
            <th scope="col" class="col-name">
              {head}
            </th>
          )}
          <th scope="col" class="col-arm">
            Arm
          </th>
          {columns.map(({ sort, label, title: about }) =>
            name ? (
              <TabSortHead
                key={sort}
                state={state}
                name={name}
                sort={sort}
                label={shown(label, about)}
                class="num"
              />
            ) : (
              <th key={sort} scope="col" class="num">
                {shown(label, about)}
              </th>
            ),
          )}
          {isCompared &&
            (name && !isSplitBroken(test) ? (
              <>
                <TabSortHead state={state} name={name} sort="lift" label="Lift" class="num" />
                <TabSortHead
                  state={state}
                  name={name}
                  sort="chanceToWin"
                  label="Chance to win"
                  class="col-chance"
                />
              </>
            ) : (
              <>
                <th scope="col" class="num">
                  Lift
                </th>
                <th scope="col" class="col-chance">
                  Chance to win
                </th>
              </>
            ))}
        </tr>
      </thead>
      {list.rows.map(row => (
        <tbody key={row.value}>
          <tr class="breakdown-first">
            <th scope="rowgroup" rowSpan={2} class="col-name breakdown-both">
              {breakdown === 'referrer' ? breakable(row.label) : row.label}
            </th>
            <ArmCells
              name="Control"
              mark="arm-mark arm-mark-control"
              arm={row.arms[0]}
              columns={columns}
              goal={list.goal}
              currency={currency}
            />
            {isCompared &&
              (row.missing ? (
                <td rowSpan={2} colSpan={2} class="num breakdown-both">
                  <Lack missing={row.missing} thing={thingOf(list.goal)} />
                </td>
              ) : (
                <>
                  <td rowSpan={2} class="num breakdown-both">
                    <Lift value={row.lift} tone={partTone(row.chanceToWin)} />
                  </td>
                  <td rowSpan={2} class="num breakdown-both">
                    {row.chanceToWin === null ? (
                      <span class="muted">–</span>
                    ) : (
                      <Chance value={row.chanceToWin} tone={partTone(row.chanceToWin)} />
                    )}
                  </td>
                </>
              ))}
          </tr>
          <tr class="breakdown-second">
            <ArmCells
              name="Variant"
              mark="arm-mark"
              arm={row.arms[1]}
              columns={columns}
              goal={list.goal}
              currency={currency}
            />
          </tr>
        </tbody>
      ))}
    </table>
  )
}

/** What has to come before the arms of a part are compared. */
export function Lack({
  missing,
  thing,
}: {
  missing: NonNullable<BreakdownRow['missing']>
  thing: string
}) {
  const { words, where } = lackWords(missing, thing)
  return (
    <span class="muted" title="Needed before the arms are compared">
      {words}
      {where && <span class="cell-sub">{where}</span>}
    </span>
  )
}

/** A host may go on in the next line before each of its dots. */
const breakable = (host: string): ComponentChildren =>
  host.split('.').flatMap((part, i) => (i === 0 ? [part] : [<wbr key={i} />, `.${part}`]))

type ArmProps = {
  name: string
  mark: string
  arm: BreakdownArm
  columns: Column[]
  goal: Goal
  currency: string
}
/** Beside the mean of the test's own goal, the one that the lift came from. */
const ArmCells = ({ name, mark, arm, columns, goal, currency }: ArmProps) => (
  <>
    <th scope="row" class="col-arm">
      <span class="arm">
        <span class={mark} />
        {name}
      </span>
    </th>
    {columns.map(({ sort, unit, goal: of }) => (
      <td key={sort} class="num">
        {figure(arm[sort], unit, currency)}
        {of === goal && <Capped value={arm[sort]} inferred={arm.inferred} currency={currency} />}
      </td>
    ))}
  </>
)

function figure(value: number | null, unit: Column['unit'], currency: string): string {
  if (value === null) return '–'
  return unit === 'money'
    ? formatMoney(value, currency)
    : unit === 'rate'
      ? formatRate(value)
      : formatCount(value)
}

function Empty({
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

/** A table without a link is scrolled sideways by the keyboard too, where it is wider than the screen. */
export const focusable = (labelledBy: string) =>
  ({ tabIndex: 0, role: 'group', 'aria-labelledby': labelledBy }) as const

/** In place of rows. */
export const EmptyShelves = () => (
  <svg viewBox="0 0 72 56" aria-hidden="true">
    <rect class="shelf" x="4" y="24" width="64" height="3" rx="1.5" />
    <rect class="shelf" x="4" y="52" width="64" height="3" rx="1.5" />
    <rect class="ghost" x="14" y="6.5" width="14" height="16" rx="3" />
    <rect class="ghost-accent" x="42" y="34.5" width="14" height="16" rx="3" />
  </svg>
)
