import type { ComponentChildren } from 'preact'
import { formatCount, formatDate, formatMoment } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import type { StaffStorePage } from '../../domain/staff/staff-overview.ts'
import { extensionDays, type Trial } from '../../domain/staff/staff-stores.ts'
import { StoreParts, StoreState } from './admin-store.tsx'
import { DraftField } from '../drafts/draft-field.tsx'
import type { RecountAsked } from './store-figures.tsx'
import { SampleLabel } from '../sample-label.tsx'

/** A store on trial, and the days that staff typed to extend it. */
export type TrialProps = {
  store: StaffStorePage
  /** The days as they were typed. */ days: string
  problems: FieldProblem[]
  recount: RecountAsked
  now: Date
}

/** One store: its trial first, which is what staff change, then everything else about it. */
export function TrialPage({ store, days, problems, recount, now }: TrialProps) {
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
  // A refusal is shown at its field, even when the trial has ended meanwhile.
  const canExtend = isOnTrial || problems.length > 0
  return (
    <>
      <div class="page-head">
        <a class="back-link" href={paths.admin('stores/trials')}>
          Trials
        </a>
        <h1>{name}</h1>
        <SampleLabel isDemo={trial.isDemo} />
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
      <StoreParts store={store} now={now} recount={recount} />
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
