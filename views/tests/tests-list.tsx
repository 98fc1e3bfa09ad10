import type { ListTab } from '../../domain/tests/ab-test.ts'
import type { Output } from '../../domain/api/contract.ts'
import { formatCount } from '../../domain/figures.ts'
import { goalNames, goals } from '../../domain/reports/goal.ts'
import { goalSlug, isFiltered, kindSlug } from '../../domain/tests/list-filter.ts'
import { testKindNames, testKinds } from '../../domain/tests/test-kind.ts'
import { FoundElsewhere, type FoundIn, tabLabels } from '../found-elsewhere.tsx'
import { Icon } from '../icons.tsx'
import { Hidden, listPath, listQuery, swaps, type ListState } from '../list-links.tsx'
import { askPath, CopyLink, RowMenu } from '../row-menu.tsx'
import { TestsChosen } from './tests-chosen.tsx'
import { TestsDigest } from './tests-digest.tsx'
import { TestsEmpty } from './tests-empty.tsx'
import { DraftRows } from './tests-draft-rows.tsx'
import { TestRows } from './tests-rows.tsx'
import { TestsStart } from './tests-start.tsx'
import { SampleLabel } from '../sample-label.tsx'

export type TestsListProps = {
  state: ListState
  list: Output<'tests'>
  store: { timeZone: string; isDemo: boolean }
  now: Date
  /**
   * Hidden fields of forms that lead to the list: when a form is sent, browsers replace its
   * address's query by its fields.
   */
  carried: Record<string, string>
}

const tabOrder = [
  'Active',
  'Scheduled',
  'Paused',
  'OnHold',
  'Suspended',
  'Ended',
  'Draft',
] as const satisfies ListTab[]
/**
 * Only the system suspends tests, and rarely. So this tab is shown only when it has tests or is
 * open.
 */
const tabsOf = ({ tab }: ListState, counts: Output<'tests'>['counts']) =>
  tabOrder.filter(name => name !== 'Suspended' || name === tab || counts[name] > 0)

export function TestsList({ state, list, store, now, carried }: TestsListProps) {
  const { tab } = state
  const isEmpty = list.count === 0
  const hasAny = Object.values(list.counts).some(count => count > 0)
  return (
    <>
      <div class="page-head">
        <h1>Tests</h1>
        <SampleLabel isDemo={store.isDemo} />
        <div class="page-actions">
          <ListMenu state={state} counts={list.counts} />
        </div>
        <p class="note page-facts">
          Show half of your visitors a change, and keep the version that sells more.
        </p>
        <TestsDigest digest={list.digest} hasTests={hasAny} now={now} />
      </div>
      {list.start && <TestsStart done={list.start} back={listPath(state)} />}
      <section class="card" id="tests" aria-label="Tests list">
        <nav class="tabs" aria-label="Tests by status" {...swaps('#tests')}>
          {tabsOf(state, list.counts).map(name => (
            <a
              key={name}
              href={listPath({ tab: name })}
              aria-current={name === tab ? 'page' : undefined}
            >
              {tabLabels[name]} <span class="tab-count">{formatCount(list.counts[name])}</span>
            </a>
          ))}
        </nav>
        {(!isEmpty || isFiltered(state)) && <Filters state={state} carried={carried} />}
        <div id="rows" class="table-scroll" data-keeps-ticks>
          {isEmpty ? (
            <TestsEmpty tab={tab} filter={state} hasAny={hasAny} foundIn={list.foundIn} />
          ) : (
            <>
              <table
                role="table"
                class={
                  tab === 'Draft'
                    ? 'table table-rows table-cards'
                    : 'table table-rows table-cards table-tests'
                }
              >
                {tab === 'Draft' ? (
                  <DraftRows state={state} drafts={list.drafts} timeZone={store.timeZone} />
                ) : (
                  <TestRows state={state} tests={list.tests} timeZone={store.timeZone} now={now} />
                )}
              </table>
              <RowMenu state={state} carried={carried} />
              <TestsChosen state={state} carried={carried} />
              <Pager
                state={state}
                foundIn={list.foundIn}
                count={list.count}
                shown={tab === 'Draft' ? list.drafts.length : list.tests.length}
              />
            </>
          )}
          {/* Filters keep the order of the list. These fields are replaced with the rows. */}
          <Hidden
            form="filters"
            values={listQuery({ tab, sort: state.sort, descending: state.descending })}
          />
        </div>
      </section>
    </>
  )
}

/** The filters of the list. A change takes effect at once; without scripts there is a button. */
function Filters({ state, carried }: { state: ListState; carried: Record<string, string> }) {
  const path = listPath({ tab: state.tab })
  return (
    <search>
      <form
        class="toolbar"
        id="filters"
        action={path}
        hx-get={path}
        hx-trigger="input delay:250ms, submit"
        hx-target="#rows"
        hx-select="#rows"
        hx-swap="outerHTML"
        hx-push-url="true"
        hx-sync="#rows:replace"
      >
        <label class="search-field">
          <span class="visually-hidden">Search tests by name</span>
          <Icon name="search" />
          <input
            type="search"
            name="search"
            value={state.search}
            placeholder="Search tests"
            maxLength={200}
            autocomplete="off"
          />
          <kbd aria-hidden="true">/</kbd>
        </label>
        <select name="kind" aria-label="Kind of test">
          <option value="">Kind: all</option>
          {testKindNames.map(kind => (
            <option key={kind} value={kindSlug(kind)} selected={kind === state.kind}>
              {testKinds[kind].label}
            </option>
          ))}
        </select>
        <select name="goal" aria-label="Goal">
          <option value="">Goal: all</option>
          {goalNames.map(goal => (
            <option key={goal} value={goalSlug(goal)} selected={goal === state.goal}>
              {goals[goal].label}
            </option>
          ))}
        </select>
        <Hidden values={Object.entries(carried)} />
        <noscript>
          <button class="secondary">Filter</button>
        </noscript>
        {state.tab !== 'Draft' && (
          <span class="note toolbar-end">
            Lift of the variant over control, with its 90% interval
          </span>
        )}
      </form>
    </search>
  )
}

/**
 * The list's menu: its link, and acts on many tests, which name the tests before anything is done.
 */
function ListMenu({ state, counts }: { state: ListState; counts: Output<'tests'>['counts'] }) {
  const { Draft: _, Ended: __, ...unfinished } = counts
  const count = Object.values(unfinished).reduce((sum, n) => sum + n, 0)
  return (
    <details class="menu">
      <summary class="button quiet">
        <Icon name="more" />
        <span class="label">More</span>
      </summary>
      <ul class="menu-list">
        <CopyLink />
        <li class="needs-script">
          <button class="menu-act" type="button" data-shortcuts>
            <Icon name="keyboard" />
            Keyboard shortcuts
          </button>
        </li>
        {count > 0 && (
          <>
            <li class="menu-rule" />
            <li>
              <a href={askPath(state, 'end-all')}>
                <Icon name="stop" />
                End all tests…
              </a>
            </li>
            <li>
              <a href={askPath(state, 'end-prices')}>
                <Icon name="stop" />
                End all price tests…
              </a>
            </li>
          </>
        )}
      </ul>
    </details>
  )
}

const plural = (n: number, word: string) => `${formatCount(n)} ${word}${n === 1 ? '' : 's'}`

function Pager({
  state,
  foundIn,
  count,
  shown,
}: {
  state: ListState
  foundIn: FoundIn
  count: number
  shown: number
}) {
  const { tab, page, perPage } = state
  const pages = Math.ceil(count / perPage)
  const kind = tab === 'Draft' ? 'draft' : `${tabLabels[tab].toLowerCase()} test`
  const range = count > shown ? `${page * perPage + 1}–${page * perPage + shown} of ` : ''
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
        href={listPath({ ...state, page: to })}
        aria-label={label}
      >
        <Icon name={icon} />
      </a>
    )
  return (
    <footer class="card-foot" {...swaps('#rows')}>
      <span>
        {range}
        {plural(count, kind)}
      </span>
      <FoundElsewhere tab={tab} filter={state} foundIn={foundIn} />
      {pages > 1 && (
        <nav class="pager card-foot-end" aria-label="Pages">
          <span>
            Page {page + 1} of {pages}
          </span>
          {turn(page - 1, 'Previous page', 'back')}
          {turn(page + 1, 'Next page', 'next')}
        </nav>
      )}
    </footer>
  )
}
