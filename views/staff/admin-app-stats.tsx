import { formatCount, formatNearDay } from '../../domain/figures.ts'
import { planLevelNames } from '../../domain/plans/plan-level.ts'
import type { AppStats } from '../../domain/staff/staff-app-stats.ts'
import { testKinds } from '../../domain/tests/test-kind.ts'
import { statusLabels, testStatuses } from '../../domain/tests/test-status.ts'
import { Tile } from './admin-list-parts.tsx'

export function AppStatsPage({
  stats: { stores, tests, days },
  now,
}: {
  stats: AppStats
  now: Date
}) {
  const running = tests.reduce((sum, { counts }) => sum + counts.Active, 0),
    visitors = sum(days.map(day => day.visitors)),
    events = sum(days.map(day => day.events))
  return (
    <>
      <div class="page-head">
        <h1>App statistics</h1>
      </div>
      <div class="tiles">
        <Tile title="Stores installed" figure={formatCount(stores.installed)}>
          {formatCount(stores.uninstalled)} uninstalled
        </Tile>
        <Tile title="On trial" figure={formatCount(stores.onTrial)}>
          of the installed
        </Tile>
        <Tile title="With a plan" figure={formatCount(stores.installed - stores.withoutPlan)}>
          {formatCount(stores.withoutPlan)} without one
        </Tile>
        <Tile title="Tests running" figure={formatCount(running)}>
          of {formatCount(sum(tests.map(({ all }) => all)))} launched
        </Tile>
        <Tile title="Visitors" figure={formatCount(visitors)}>
          in {days.length} days
        </Tile>
        <Tile title="Events" figure={formatCount(events)}>
          in {days.length} days
        </Tile>
      </div>
      <div class="columns-wide-narrow">
        <section class="card" aria-labelledby="tests">
          <div class="card-head">
            <h2 id="tests">Tests</h2>
          </div>
          <div class="table-scroll">
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">Kind</th>
                  {testStatuses.map(status => (
                    <th key={status} scope="col" class="num">
                      {statusLabels[status]}
                    </th>
                  ))}
                  <th scope="col" class="num">
                    All
                  </th>
                </tr>
              </thead>
              <tbody>
                {tests.map(({ kind, counts, all }) => (
                  <tr key={kind}>
                    <th scope="row">{testKinds[kind].label}</th>
                    {testStatuses.map(status => (
                      <Count key={status} n={counts[status]} />
                    ))}
                    <Count n={all} />
                  </tr>
                ))}
              </tbody>
              <tfoot>
                <tr>
                  <th scope="row">All</th>
                  {testStatuses.map(status => (
                    <Count key={status} n={sum(tests.map(({ counts }) => counts[status]))} />
                  ))}
                  <Count n={sum(tests.map(({ all }) => all))} />
                </tr>
              </tfoot>
            </table>
          </div>
        </section>
        <section class="card" aria-labelledby="levels">
          <div class="card-head">
            <h2 id="levels">Stores by plan</h2>
          </div>
          <div class="table-scroll">
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">Plan</th>
                  <th scope="col" class="num">
                    Stores
                  </th>
                </tr>
              </thead>
              <tbody>
                {[...planLevelNames].reverse().map(name => (
                  <tr key={name}>
                    <th scope="row">{name}</th>
                    <Count n={stores.levels[name]} />
                  </tr>
                ))}
                <tr>
                  <th scope="row">None</th>
                  <Count n={stores.withoutPlan} />
                </tr>
              </tbody>
              <tfoot>
                <tr>
                  <th scope="row">Installed</th>
                  <Count n={stores.installed} />
                </tr>
              </tfoot>
            </table>
          </div>
        </section>
      </div>
      <section class="card" aria-labelledby="days">
        <div class="card-head">
          <h2 id="days">Visitors and events by day</h2>
          <span class="note">Bots excluded. Days are in each shop’s time zone</span>
        </div>
        <div class="table-scroll">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Day</th>
                <th scope="col" class="num">
                  Visitors
                </th>
                <th scope="col" class="num">
                  Events
                </th>
              </tr>
            </thead>
            <tbody>
              {days.map(({ day, visitors, events }) => (
                <tr key={day}>
                  <th scope="row">{formatNearDay(day, now)}</th>
                  <Count n={visitors} />
                  <Count n={events} />
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">All</th>
                <Count n={visitors} />
                <Count n={events} />
              </tr>
            </tfoot>
          </table>
        </div>
      </section>
    </>
  )
}

const Count = ({ n }: { n: number }) => (
  <td class="num">{n === 0 ? <span class="muted">0</span> : formatCount(n)}</td>
)
const sum = (numbers: number[]): number => numbers.reduce((total, n) => total + n, 0)
