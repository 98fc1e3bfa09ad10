import { paths } from '../domain/paths.ts'
import type { ListTab } from '../domain/ab-test.ts'
import type { Output } from '../domain/contract.ts'
import { formatCount } from '../domain/figures.ts'
import { statusLabels } from '../domain/test-status.ts'
import { Icon } from './icons.tsx'
import { listPath, swaps, type ListState } from './list-links.tsx'
import { askPath, CopyLink } from './row-menu.tsx'
import { TestsEmpty } from './tests-empty.tsx'
import { DraftRows, TestRows } from './tests-rows.tsx'

export type TestsListProps = {
  state: ListState
  list: Output<'tests'>
  store: { timeZone: string; isDemo: boolean }
  now: Date
  /** Goes along with the search form, whose own fields replace its address's query. */
  carried: Record<string, string>
}

export const tabLabels: Record<ListTab, string> = { ...statusLabels, Draft: 'Drafts' }
const tabOrder = ['Active', 'Scheduled', 'Paused', 'OnHold', 'Suspended', 'Ended', 'Draft'] as const satisfies ListTab[]
/** Suspended is the system's doing and rare: its tab is there when something is in it. */
const tabsOf = ({ tab }: ListState, counts: Output<'tests'>['counts']) => tabOrder.filter(name => name !== 'Suspended' || name === tab || counts[name] > 0)

export function TestsList({ state, list, store, now, carried }: TestsListProps) {
  const { tab, search } = state
  const isEmpty = list.count === 0
  const hasAny = Object.values(list.counts).some(count => count > 0)
  return (
    <>
      <div class="page-head">
        <h1>Tests</h1>{store.isDemo && <span class="demo-label">Demo data</span>}
        <div class="page-actions"><ListMenu state={state} counts={list.counts} /></div>
        <Digest digest={list.digest} />
      </div>
      <section class="card" id="tests" aria-label="Tests list">
        <nav class="tabs" aria-label="Tests by status" {...swaps('#tests')}>
          {tabsOf(state, list.counts).map(name => (
            <a key={name} href={listPath({ tab: name })} aria-current={name === tab ? 'page' : undefined}>{tabLabels[name]} <span class="tab-count">{formatCount(list.counts[name])}</span></a>
          ))}
        </nav>
        {(!isEmpty || search) && (
          <search>
            <form class="toolbar" action={listPath({ tab })} hx-get={listPath({ tab })} hx-trigger="input delay:250ms, submit" hx-target="#rows" hx-select="#rows" hx-swap="outerHTML" hx-push-url="true" hx-sync="#rows:replace">
              <label class="search-field"><span class="visually-hidden">Search tests by name</span><Icon name="search" /><input type="search" name="search" value={search} placeholder="Search tests" maxLength={200} autocomplete="off" /><kbd aria-hidden="true">/</kbd></label>
              {Object.entries(carried).map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)}
              {tab !== 'Draft' && <span class="note toolbar-end">Lift of the variant over control, with its 90% interval</span>}
            </form>
          </search>
        )}
        <div id="rows" class="table-scroll">
          {isEmpty
            ? <TestsEmpty tab={tab} search={search} hasAny={hasAny} />
            : <>
              <table class={tab === 'Draft' ? 'table table-rows' : 'table table-rows table-tests'}>
                {tab === 'Draft' ? <DraftRows state={state} drafts={list.drafts} timeZone={store.timeZone} /> : <TestRows state={state} tests={list.tests} timeZone={store.timeZone} now={now} />}
              </table>
              <form id="row-act" method="post" hidden><input type="hidden" name="back" value={listPath(state)} /></form>
              <Pager state={state} count={list.count} shown={tab === 'Draft' ? list.drafts.length : list.tests.length} />
            </>}
        </div>
      </section>
    </>
  )
}

/** The list's link, and what is done to many tests at once; it names them before it does. */
function ListMenu({ state, counts }: { state: ListState; counts: Output<'tests'>['counts'] }) {
  const { Draft: _, Ended: __, ...unfinished } = counts
  const count = Object.values(unfinished).reduce((sum, n) => sum + n, 0)
  return (
    <details class="menu">
      <summary class="button quiet"><Icon name="more" /><span class="label">More</span></summary>
      <ul class="menu-list">
        <CopyLink />
        {count > 0 && <><li class="menu-rule" /><li><a href={askPath(state, 'end-all')}><Icon name="stop" />End all tests…</a></li>
        <li><a href={askPath(state, 'end-prices')}><Icon name="stop" />End all price tests…</a></li></>}
      </ul>
    </details>
  )
}

/** The page's answer in one line: what was found, and what still needs time. */
function Digest({ digest: { winners, losers, undecided } }: { digest: Output<'tests'>['digest'] }) {
  if (winners.length + losers.length + undecided === 0) return null
  // One opens its report; of several the clearest stand first.
  const where = (ids: string[], descending: boolean) =>
    ids.length === 1 ? paths.report(ids[0]!) : listPath({ tab: 'Active', sort: 'chanceToWin', descending })
  return (
    <ul class="digest page-facts">
      {winners.length > 0 && <li><Icon name="winner" tone="good" /><a href={where(winners, true)}><b>{plural(winners.length, 'winner')}</b> to keep</a></li>}
      {losers.length > 0 && <li><Icon name="loser" tone="bad" /><a href={where(losers, false)}><b>{plural(losers.length, 'loser')}</b> to end</a></li>}
      {undecided > 0 && <li><Icon name="half" tone="neutral" /><span><b>{undecided}</b> {undecided === 1 ? 'needs' : 'need'} more time</span></li>}
    </ul>
  )
}
const plural = (n: number, word: string) => `${formatCount(n)} ${word}${n === 1 ? '' : 's'}`

function Pager({ state, count, shown }: { state: ListState; count: number; shown: number }) {
  const { tab, page, perPage } = state
  const pages = Math.ceil(count / perPage)
  const kind = tab === 'Draft' ? 'draft' : `${tabLabels[tab].toLowerCase()} test`
  const range = count > shown ? `${page * perPage + 1}–${page * perPage + shown} of ` : ''
  const turn = (to: number, label: string, icon: 'back' | 'next') => (to < 0 || to >= pages
    ? <a class="button secondary small icon-only" role="link" aria-disabled="true" aria-label={label}><Icon name={icon} /></a>
    : <a class="button secondary small icon-only" href={listPath({ ...state, page: to })} aria-label={label}><Icon name={icon} /></a>)
  return (
    <footer class="card-foot" {...swaps('#rows')}>
      <span>{range}{plural(count, kind)}</span>
      {pages > 1 && <nav class="pager card-foot-end" aria-label="Pages"><span>Page {page + 1} of {pages}</span>{turn(page - 1, 'Previous page', 'back')}{turn(page + 1, 'Next page', 'next')}</nav>}
    </footer>
  )
}
