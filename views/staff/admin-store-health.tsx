import { formatCount, formatMoment, formatNearDay } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import { reconciledInWords } from '../../domain/platform/reconciled.ts'
import {
  findingWords,
  type ScriptState,
  type StoreHealth,
  type StoreTrouble,
  storeTroubleLabels,
  storeTroubles,
} from '../../domain/staff/staff-health.ts'
import { FilterTab, SortBy, StoreCell, UsageCell } from './admin-list-parts.tsx'
import { StaffHead, StaffList } from './admin-list.tsx'
import { type StaffListState, staffListPath } from './admin-list-state.ts'
import { Icon, type IconName } from '../icons.tsx'

export type StoreHealthProps = {
  state: StaffListState
  stores: StoreHealth[]
  count: number
  all: number
  troubled: number
  troubles: Record<StoreTrouble, number>
  now: Date
}

export const StoresHealth = ({
  state,
  stores,
  count,
  all,
  troubled,
  troubles,
  now,
}: StoreHealthProps) => (
  <>
    <div class="page-head">
      <h1>Health of stores</h1>
      {troubled > 0 && (
        <ul class="digest page-facts">
          {storeTroubles
            .filter(name => troubles[name] > 0)
            .map(name => (
              <li key={name}>
                <Icon name="warning" tone="warn" />
                <span>
                  <b>{formatCount(troubles[name])}</b> {storeTroubleLabels[name].toLowerCase()}
                </span>
              </li>
            ))}
        </ul>
      )}
    </div>
    <StaffList
      state={state}
      count={count}
      shown={stores.length}
      label="Stores"
      placeholder="Store or shop"
      noun={['store', 'stores']}
      note="Times are UTC, days the shop’s own"
      empty={
        all === 0
          ? { title: 'No stores yet', text: 'A store appears here after its first sign-in.' }
          : {
              title: 'Every store is in order',
              text: 'Scripts are published, shops report visitors, subscriptions are active and no store is over its limit.',
            }
      }
      tabs={
        <>
          <FilterTab state={state} filters={{ view: '' }} label="To check" count={troubled} />
          <FilterTab state={state} filters={{ view: 'all' }} label="All" count={all} />
        </>
      }
    >
      <StaffHead>
        <SortBy state={state} sort="name" label="Store" class="col-store" />
        <SortBy state={state} sort="troubles" label="Problem" largest />
        <th scope="col">Script</th>
        <SortBy state={state} sort="lastEventDay" label="Last event" largest />
        <SortBy state={state} sort="lastSignInAt" label="Last sign-in" largest />
        <SortBy state={state} sort="usage" label="Visitors" largest class="col-usage" />
      </StaffHead>
      <tbody>
        {stores.map(store => (
          <tr key={store.id}>
            <StoreCell store={store} href={paths.admin('stores/trials', store.id)} />
            <td>
              <Troubles store={store} now={now} />
            </td>
            <td>
              <Script store={store} back={staffListPath(state)} now={now} />
            </td>
            <td>
              {store.lastEventDay ? (
                formatNearDay(store.lastEventDay, now)
              ) : (
                <span class="muted">Never</span>
              )}
            </td>
            <td>
              {store.lastSignInAt ? (
                formatMoment(store.lastSignInAt, 'UTC', now)
              ) : (
                <span class="muted">Unknown</span>
              )}
            </td>
            <td>
              <UsageCell
                visitors={store.visitors}
                visitorLimit={store.visitorLimit}
                name={store.name}
                isOnTrial={store.isOnTrial}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </StaffList>
  </>
)

const warnings: StoreTrouble[] = ['overLimit', 'noEvents', 'webhooksLost']

function Troubles({
  store: { troubles, status, subscriptionStatus, runningTests, reconciled },
  now,
}: {
  store: StoreHealth
  now: Date
}) {
  if (status === 'uninstalled')
    return (
      <span class="status" data-tone="neutral">
        <Icon name="close" />
        Uninstalled
      </span>
    )
  if (troubles.length === 0)
    return (
      <span class="status" data-tone="good">
        <Icon name="check" />
        In order
      </span>
    )
  return (
    <>
      {troubles.map(name => (
        <span key={name} class="trouble">
          <span class="status" data-tone={warnings.includes(name) ? 'warn' : 'bad'}>
            <Icon name="warning" />
            {name === 'subscription'
              ? `Subscription ${subscriptionStatus!.toLowerCase()}`
              : storeTroubleLabels[name]}
          </span>
          {name === 'webhooksLost' && reconciled && (
            <span class="cell-sub">
              Found {formatMoment(reconciled.at, 'UTC', now)}: {reconciledInWords(reconciled.found)}
            </span>
          )}
          {name === 'noEvents' && (
            <span class="cell-sub">
              {runningTests === 1 ? 'A test is running' : `${runningTests} tests are running`}
            </span>
          )}
        </span>
      ))}
    </>
  )
}

const scriptLooks: Record<ScriptState, { label: string; tone: string; icon: IconName }> = {
  published: { label: 'Published', tone: 'good', icon: 'check' },
  waiting: { label: 'Being published', tone: 'neutral', icon: 'clock' },
  failing: { label: 'Refused by the shop', tone: 'bad', icon: 'close' },
  none: { label: 'None', tone: 'bad', icon: 'close' },
}

/** The state of the script, with a button that checks it at the shop. */
function Script({
  store: { id, name, status, script },
  back,
  now,
}: {
  store: StoreHealth
  back: string
  now: Date
}) {
  const { label, tone, icon } = scriptLooks[script.state]
  if (status === 'uninstalled') return <span class="muted">–</span>
  return (
    <div class="script-cell">
      <span class="status" data-tone={tone}>
        <Icon name={icon} />
        {label}
      </span>
      {script.publishedAt && (
        <form method="post" action={paths.admin('health/stores', id)}>
          <input type="hidden" name="back" value={back} />
          <button class="quiet small" aria-label={`Check the script of ${name} at the shop`}>
            Check
          </button>
        </form>
      )}
      {script.state === 'failing' && script.error && (
        <span class="cell-sub" title={script.error}>
          {script.error}
        </span>
      )}
      {script.check ? (
        <span class="cell-sub" title={findingWords[script.check.finding]}>
          {script.check.finding === 'answers' ? 'Answered' : 'Check failed'}{' '}
          {formatMoment(script.check.at, 'UTC', now)}
        </span>
      ) : (
        script.publishedAt && (
          <span class="cell-sub">{formatMoment(script.publishedAt, 'UTC', now)}</span>
        )
      )}
    </div>
  )
}
