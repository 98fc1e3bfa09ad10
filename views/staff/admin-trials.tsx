import { formatCount, formatNearDate, formatNearDay } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import {
  type ScriptStanding,
  scriptStandingLabels,
  scriptStandings,
} from '../../domain/staff/staff-health.ts'
import { trialEndsWithin, trialLevels, type TrialStore } from '../../domain/staff/staff-stores.ts'
import type { Choice, StaffListState } from './admin-list-state.ts'
import { StaffHead, StaffList } from './admin-list.tsx'
import { SortBy, StoreCell, UsageCell } from './admin-list-parts.tsx'
import { Icon, type IconName } from '../icons.tsx'

export type TrialsProps = {
  state: StaffListState
  stores: TrialStore[]
  count: number
  all: number
  endThisWeek: number
  now: Date
}

const choices: Choice[] = [
  {
    name: 'level',
    label: 'Plan',
    all: 'All plans',
    options: trialLevels.map(name => [name, name] as const),
  },
  {
    name: 'endsWithin',
    label: 'Trial ends',
    all: 'Any end date',
    options: trialEndsWithin.map(days => [String(days), `Ends within ${days} days`] as const),
  },
  {
    name: 'script',
    label: 'Script',
    all: 'Any script state',
    options: scriptStandings.map(name => [name, scriptStandingLabels[name]] as const),
  },
]

export const Trials = ({ state, stores, count, all, endThisWeek, now }: TrialsProps) => (
  <>
    <div class="page-head">
      <h1>Trials</h1>
      {all > 0 && (
        <p class="page-facts">
          {formatCount(all)} running,{' '}
          {endThisWeek === 0
            ? 'none end'
            : `${formatCount(endThisWeek)} end${endThisWeek === 1 ? 's' : ''}`}{' '}
          within 7 days
        </p>
      )}
    </div>
    <StaffList
      state={state}
      choices={choices}
      count={count}
      shown={stores.length}
      label="Trials"
      placeholder="Store, domain or e-mail"
      noun={['trial', 'trials']}
      note="Days are UTC"
      empty={{
        title: 'No store is on trial',
        text: 'A store’s first subscription begins with a trial of 14 days.',
      }}
    >
      <StaffHead>
        <SortBy state={state} sort="name" label="Store" class="col-store" />
        <th scope="col">Plan</th>
        <SortBy state={state} sort="trialEnd" label="Trial ends" />
        <SortBy state={state} sort="visitors" label="Visitors" largest class="col-usage" />
        <SortBy state={state} sort="tests" label="Tests" largest class="num" />
        <th scope="col">Script</th>
        <SortBy state={state} sort="lastEventDay" label="Last visitor" largest class="num" />
      </StaffHead>
      <tbody>
        {stores.map(store => (
          <tr key={store.id}>
            <StoreCell store={store} href={paths.admin('stores/trials', store.id)} />
            <td>{store.plan ?? <span class="muted">None</span>}</td>
            <td>
              {formatNearDate(store.trialEnd, 'UTC', now)}
              <span class="cell-sub">{daysWords(store.daysLeft)}</span>
            </td>
            <td>
              <UsageCell
                visitors={store.visitors}
                visitorLimit={store.visitorLimit}
                name={store.name}
                isOnTrial
              />
            </td>
            <td class="num">{formatCount(store.tests)}</td>
            <td>
              <ScriptStatus standing={store.script} />
            </td>
            <td class="num muted">
              {store.lastEventDay ? formatNearDay(store.lastEventDay, now) : 'Never'}
            </td>
          </tr>
        ))}
      </tbody>
    </StaffList>
  </>
)

const scriptLooks: Record<ScriptStanding, { tone: string; icon: IconName }> = {
  installed: { tone: 'good', icon: 'check' },
  waiting: { tone: 'neutral', icon: 'clock' },
  broken: { tone: 'warn', icon: 'warning' },
  missing: { tone: 'bad', icon: 'close' },
}
const ScriptStatus = ({ standing }: { standing: ScriptStanding }) => (
  <span class="status" data-tone={scriptLooks[standing].tone}>
    <Icon name={scriptLooks[standing].icon} />
    {scriptStandingLabels[standing]}
  </span>
)

/** The days that are left. A trial that ends soon is marked by more than a colour. */
function daysWords(days: number) {
  if (days <= 1)
    return (
      <b class="tone" data-tone="bad">
        Ends within a day
      </b>
    )
  return days <= 3 ? (
    <b class="tone" data-tone="warn">
      {days} days left
    </b>
  ) : (
    <>{formatCount(days)} days left</>
  )
}
