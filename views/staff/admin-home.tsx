import { formatCount, formatNearDay, formatTime } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import type { StaffTrends } from '../../domain/staff/staff-overview.ts'
import type { Overview, Waits } from '../../domain/staff/staff-waits.ts'
import { Tile } from './admin-list-parts.tsx'
import { Icon } from '../icons.tsx'
import { StaffChart } from './staff-chart.tsx'
import { UninstallsCard } from './uninstalls-card.tsx'

export type AdminHomeProps = { overview: Overview; waits: Waits[]; now: Date }

/**
 * Staff's home page: whether anything is wrong, in words and links, and then the figures behind it.
 */
export function AdminHome({
  overview: { stats, trends, tests, trials, api },
  waits,
  now,
}: AdminHomeProps) {
  const running = stats.tests.reduce((sum, { counts }) => sum + counts.Active, 0)
  const hours = trends.hours,
    requests = sum(hours.map(hour => hour.requests)),
    errors = sum(hours.map(hour => hour.errors))
  const slowest = Math.max(0, ...hours.map(hour => hour.slowest ?? 0)),
    share = requests === 0 ? 0 : errors / requests
  return (
    <>
      <div class="page-head">
        <h1>Overview</h1>
        <div class="page-actions">
          <a class="button secondary" href={paths.admin()}>
            Refresh
          </a>
        </div>
      </div>
      <form
        class="staff-search-page"
        role="search"
        aria-label="Search, on this page"
        action={paths.admin()}
      >
        <input
          class="staff-search-input"
          type="search"
          name="search"
          aria-label="Store, test or order"
          placeholder="Store, test or order"
          maxLength={200}
          autocomplete="off"
        />
      </form>
      <WaitsLine waits={waits} />
      <div class="tiles">
        <Tile
          title="Trials running"
          figure={formatCount(trials.all)}
          unit="stores"
          tone={trials.endThisWeek > 0 ? 'warn' : 'good'}
          icon={trials.endThisWeek > 0 ? 'clock' : 'check'}
          trend={trends.days.map(day => day.onTrial)}
        >
          {trials.endThisWeek === 0
            ? 'None end this week'
            : `${formatCount(trials.endThisWeek)} end${trials.endThisWeek === 1 ? 's' : ''} this week`}
        </Tile>
        <Tile
          title="Tests running"
          figure={formatCount(running)}
          unit="tests"
          tone={tests.troubled === 0 ? 'good' : 'bad'}
          icon={tests.troubled === 0 ? 'check' : 'warning'}
          trend={trends.days.map(day => day.running)}
        >
          {tests.troubled === 0 ? 'All in order' : `${formatCount(tests.troubled)} to check`}
        </Tile>
        <Tile
          title="Events today"
          figure={formatCount(stats.days[0]?.events ?? 0)}
          tone="neutral"
          icon="info"
          trend={stats.days
            .slice(1)
            .map(day => day.events)
            .reverse()}
        >
          {formatCount(stats.days[1]?.events ?? 0)} yesterday
        </Tile>
        <Tile
          title="API, slowest 5%"
          figure={requests === 0 ? '–' : formatCount(slowest)}
          {...(requests > 0 && { unit: 'ms' })}
          tone={slowest > slowLimit ? 'warn' : 'good'}
          icon={slowest > slowLimit ? 'warning' : 'check'}
          trend={hours.map(hour => hour.slowest)}
        >
          {requests === 0
            ? 'No requests yet'
            : slowest > slowLimit
              ? `Above ${slowLimit} ms`
              : `At most ${slowLimit} ms`}
        </Tile>
        <Tile
          title="Errors"
          figure={percent(share)}
          tone={share > errorLimit ? 'bad' : 'good'}
          icon={share > errorLimit ? 'warning' : 'check'}
          trend={hours.map(hour => hour.errors)}
        >
          {formatCount(errors)} in 24 hours
        </Tile>
        <Tile
          title="Jobs due"
          figure={formatCount(api.jobs.due)}
          tone={api.jobs.errored === 0 ? 'good' : 'bad'}
          icon={api.jobs.errored === 0 ? 'check' : 'warning'}
        >
          {api.jobs.errored === 0
            ? 'No failed jobs'
            : `${formatCount(api.jobs.errored)} failed in 7 days`}
        </Tile>
      </div>
      <Charts stats={stats} trends={trends} now={now} />
      <UninstallsCard uninstalls={trends.uninstalls} now={now} />
    </>
  )
}

/**
 * Limits above which the panel shows a warning: `slowLimit` in milliseconds, `errorLimit` as a
 * share of the requests.
 */
const slowLimit = 500,
  errorLimit = 0.001

function WaitsLine({ waits }: { waits: Waits[] }) {
  if (waits.length === 0)
    return (
      <section class="banner" data-tone="good" aria-label="State">
        <Icon name="check" />
        <p>
          <strong>Nothing needs attention.</strong> Every store, test and job is in order.
        </p>
      </section>
    )
  return (
    <section class="banner" data-tone="warn" aria-label="State">
      <Icon name="warning" />
      <p>
        <strong>
          {waits.length === 1
            ? 'One thing needs attention:'
            : `${waits.length} things need attention:`}
        </strong>{' '}
        {waits.map(({ text, href }, i) => (
          <>
            {i > 0 && ', '}
            <a key={href} href={href}>
              {text}
            </a>
          </>
        ))}
        .
      </p>
    </section>
  )
}

function Charts({
  stats,
  trends,
  now,
}: {
  stats: Overview['stats']
  trends: StaffTrends
  now: Date
}) {
  const days = [...stats.days].reverse(),
    dayNames = days.map(
      ({ day }, i) => `${formatNearDay(day, now)}${i === days.length - 1 ? ', so far' : ''}`,
    ),
    storeDays = trends.days.map(
      ({ day }, i) => `${formatNearDay(day, now)}${i === trends.days.length - 1 ? ', so far' : ''}`,
    )
  const hourNames = trends.hours.map(({ at }) => formatTime(at, 'UTC')),
    last = trends.days.at(-1)!
  const latest = [...trends.hours].reverse().find(hour => hour.slowest !== null)
  return (
    <div class="staff-charts">
      <StaffChart
        id="visitors"
        title="Visitors"
        note="All stores, 30 days"
        figure={formatCount(sum(days.map(day => day.visitors)))}
        names={dayNames}
        lines={[{ label: 'Visitors', tone: 'accent', values: days.map(day => day.visitors) }]}
      />
      <StaffChart
        id="events"
        title="Events"
        note="All stores, 30 days"
        figure={formatCount(sum(days.map(day => day.events)))}
        names={dayNames}
        lines={[{ label: 'Events', tone: 'accent', values: days.map(day => day.events) }]}
      />
      <StaffChart
        id="latency"
        title="API response time"
        note="95% within, 24 hours, UTC"
        figure={latest ? `${formatCount(latest.slowest!)} ms` : 'No requests yet'}
        names={hourNames}
        format={value => `${formatCount(value)} ms`}
        lines={[
          { label: '95% within', tone: 'accent', values: trends.hours.map(hour => hour.slowest) },
        ]}
      />
      <StaffChart
        id="failures"
        title="API errors"
        note="Status 500 and above, 24 hours, UTC"
        figure={formatCount(sum(trends.hours.map(hour => hour.errors)))}
        names={hourNames}
        lines={[{ label: 'Errors', tone: 'bad', values: trends.hours.map(hour => hour.errors) }]}
      />
      <StaffChart
        id="installs"
        title="Installs"
        note="New stores by day, 30 days"
        figure={formatCount(sum(trends.days.map(day => day.installs)))}
        names={storeDays}
        lines={[
          { label: 'Installs', tone: 'accent', values: trends.days.map(day => day.installs) },
        ]}
      />
      <StaffChart
        id="plans"
        title="Trials and plans"
        note="Stores by day, 30 days"
        figure={`${formatCount(last.onTrial)} on trial, ${formatCount(last.paying)} paying`}
        names={storeDays}
        lines={[
          { label: 'On trial', tone: 'warn', values: trends.days.map(day => day.onTrial) },
          { label: 'Paying', tone: 'accent', values: trends.days.map(day => day.paying) },
        ]}
      />
    </div>
  )
}

const sum = (numbers: number[]): number => numbers.reduce((total, n) => total + n, 0)
const percent = (share: number): string => `${(share * 100).toFixed(2)}%`
