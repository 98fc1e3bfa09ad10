import type { ComponentChildren } from 'preact'
import {
  formatCount,
  formatDate,
  formatMoment,
  formatNearDate,
  formatNearDay,
} from '../domain/figures.ts'
import { paths } from '../domain/paths.ts'
import type { FieldProblem } from '../domain/problem.ts'
import type { StaffStorePage } from '../domain/staff-overview.ts'
import {
  type ScriptStanding,
  scriptStandingLabels,
  scriptStandings,
} from '../domain/staff-health.ts'
import {
  extensionDays,
  type Trial,
  trialEndsWithin,
  trialLevels,
  type TrialStore,
} from '../domain/staff-stores.ts'
import {
  type Choice,
  DemoLabel,
  SortBy,
  StaffHead,
  StaffList,
  type StaffListState,
  StoreCell,
  UsageCell,
} from './admin-list.tsx'
import { StoreParts, StoreState } from './admin-store.tsx'
import { DraftField } from './draft-field.tsx'
import { Icon, type IconName } from './icons.tsx'

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

/** What is soon over says so with more than a colour. */
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

export type TrialProps = {
  store: StaffStorePage
  /** As it was typed. */ days: string
  problems: FieldProblem[]
  now: Date
}

/** One store: its trial first, which is what staff change, then everything else about it. */
export function TrialPage({ store, days, problems, now }: TrialProps) {
  const { trial } = store
  const {
    name,
    shop,
    domain,
    email,
    status,
    subscriptionStatus,
    plan,
    trialEnd,
    daysLeft,
    isOnTrial,
    visitors,
    visitorLimit,
    tests,
    createdAt,
  } = trial
  const ends = trialEnd === null ? 'Never on trial' : `${formatMoment(trialEnd, 'UTC', now)} UTC`
  // What was refused is said at its field, also of a trial that has ended meanwhile.
  const canExtend = isOnTrial || problems.length > 0
  return (
    <>
      <div class="page-head">
        <a class="back-link" href={paths.admin('stores/trials')}>
          Trials
        </a>
        <h1>{name}</h1>
        <DemoLabel isDemo={trial.isDemo} />
      </div>
      <StoreState store={store} now={now} />
      <div class={canExtend ? 'columns' : 'stack'}>
        <section class="card" aria-labelledby="trial">
          <div class="card-head">
            <h2 id="trial">Plan and trial</h2>
          </div>
          <Facts
            facts={[
              [isOnTrial || trialEnd === null ? 'Trial ends' : 'Trial ended', ends],
              ['Days left', isOnTrial ? formatCount(daysLeft) : null],
              ['Plan', plan ?? 'None'],
              ['Subscription', subscriptionStatus ?? 'None'],
              [
                'Visitors this cycle',
                `${formatCount(visitors)}${visitorLimit === null ? '' : ` of ${formatCount(visitorLimit)}`}${isOnTrial ? ', not limited during the trial' : ''}`,
              ],
              ['Tests launched', formatCount(tests)],
              ['Shop', shop],
              ['Domain', domain],
              ['E-mail', email],
              ['With Twinshelf since', formatDate(createdAt, 'UTC')],
              ['Status', status === 'installed' ? 'Installed' : 'Uninstalled'],
            ]}
          />
        </section>
        {canExtend && (
          <section class="card" aria-labelledby="extend">
            <div class="card-head">
              <h2 id="extend">Extend the trial</h2>
            </div>
            <div class="card-body stack">
              <form class="stack" method="post" action={paths.admin('stores/trials', trial.id)}>
                <input type="hidden" name="trialEnd" value={trialEnd ?? ''} />
                <DraftField
                  name="days"
                  label="Days"
                  problems={problems}
                  help={`From ${extensionDays.least} to ${formatCount(extensionDays.most)}, added to the trial’s end. The shop’s platform moves the first bill with it.`}
                  control={bound => (
                    <input
                      {...bound}
                      type="number"
                      min={extensionDays.least}
                      max={extensionDays.most}
                      step="1"
                      required
                      value={days}
                      class="input-short"
                    />
                  )}
                />
                <div class="row">
                  <button>Extend trial</button>
                </div>
              </form>
            </div>
          </section>
        )}
      </div>
      <Extensions trial={trial} now={now} />
      <StoreParts store={store} now={now} />
    </>
  )
}

const Facts = ({ facts }: { facts: [name: string, value: ComponentChildren][] }) => (
  <dl class="card-body facts">
    {facts
      .filter(([, value]) => value)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

const Extensions = ({ trial: { extensions }, now }: { trial: Trial; now: Date }) =>
  extensions.length === 0 ? null : (
    <section class="card" aria-labelledby="extensions">
      <div class="card-head">
        <h2 id="extensions">Extended before</h2>
      </div>
      <div class="table-scroll">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">When (UTC)</th>
              <th scope="col">By</th>
              <th scope="col" class="num">
                Days
              </th>
              <th scope="col">Ended before that</th>
            </tr>
          </thead>
          <tbody>
            {extensions.map(({ at, days, from, by }) => (
              <tr key={at}>
                <td>{formatMoment(at, 'UTC', now)}</td>
                <td>{by}</td>
                <td class="num">{formatCount(days)}</td>
                <td>{formatMoment(from, 'UTC', now)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
