import type { ComponentChildren } from 'preact'
import { spaceWords } from '../../domain/disk-space.ts'
import { formatCount, formatMoment } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import type { ApiHealth } from '../../domain/staff/staff-health.ts'
import { Tile } from './admin-list-parts.tsx'
import { Icon } from '../icons.tsx'
import { jobWords } from '../../domain/jobs/job-words.ts'
import { LeadMailBanner } from './lead-parts.tsx'

export function ApiHealthPage({
  health: {
    database,
    disk,
    backups,
    jobs,
    scripts,
    reportsWaiting,
    hubConnections,
    isOneAddress,
    analytics,
    leads,
    version,
    node,
    startedAt,
    memory,
  },
  now,
}: {
  health: ApiHealth
  now: Date
}) {
  return (
    <>
      <div class="page-head">
        <h1>Health of the API</h1>
        <div class="page-actions">
          <span class="note">As of {formatMoment(now, 'UTC', now)} UTC</span>
          <a class="button secondary" href={paths.admin('health/api')}>
            Refresh
          </a>
        </div>
      </div>
      {disk.isHeldBack && (
        <section class="banner" data-tone="warn" aria-label="Disk">
          <Icon name="warning" />
          <p>
            <strong>
              The disk is nearly full{disk.space ? ` (${spaceWords(disk.space)})` : ''}.
            </strong>{' '}
            We do not accept shoppers’ events now: browsers keep them and send them again. Pages and
            reports still work. Free space on the disk, or enlarge it.
          </p>
        </section>
      )}
      {backups?.problem && (
        <section class="banner" data-tone="bad" aria-label="Backups">
          <Icon name="warning" />
          <p>
            <strong>Backups fail.</strong>{' '}
            {backups.newestAt
              ? `The newest was made ${formatMoment(backups.newestAt, 'UTC', now)} UTC.`
              : 'There is none yet.'}{' '}
            Twinshelf tries again every 15 minutes. The last error: {backups.problem}
          </p>
        </section>
      )}
      {isOneAddress && (
        <section class="banner" data-tone="warn" aria-label="Addresses">
          <Icon name="warning" />
          <p>
            <strong>All visitors seem to have one address.</strong> Limits by address count all
            shoppers together. Set TRUST_PROXY to the networks of your proxy, and CLIENT_IP_HEADER
            to the header in which it sends a client’s address.
          </p>
        </section>
      )}
      <LeadMailBanner mailing={leads} failing={leads.failing} />
      <div class="tiles">
        <Tile
          title="Database"
          figure={String(database.milliseconds)}
          unit="ms"
          tone={database.isMigrated ? 'good' : 'bad'}
          icon={database.isMigrated ? 'check' : 'warning'}
        >
          {database.isMigrated ? 'Answers, up to date' : 'Not migrated'}
        </Tile>
        <Tile
          title="Jobs due"
          figure={formatCount(jobs.due)}
          tone={jobs.due === 0 ? 'good' : 'neutral'}
          icon={jobs.due === 0 ? 'check' : 'clock'}
        >
          {jobs.oldestDueAt ? `Oldest waits ${ago(jobs.oldestDueAt, now)}` : 'No jobs waiting'}
        </Tile>
        <Tile
          title="Failed jobs"
          figure={formatCount(jobs.errored)}
          unit="in 7 days"
          tone={jobs.errored === 0 ? 'good' : 'bad'}
          icon={jobs.errored === 0 ? 'check' : 'warning'}
        >
          {jobs.errored === 0 ? 'No failed jobs' : 'The newest is below'}
        </Tile>
        <Tile
          title="Scripts waiting"
          figure={formatCount(scripts.waiting)}
          tone={scripts.failing === 0 ? 'good' : 'bad'}
          icon={scripts.failing === 0 ? 'check' : 'warning'}
        >
          {scripts.failing === 0
            ? 'All are on their shops'
            : `${formatCount(scripts.failing)} refused`}
        </Tile>
        <Tile
          title="Reports waiting"
          figure={formatCount(reportsWaiting)}
          tone="neutral"
          icon="info"
        >
          Updated within 2 seconds
        </Tile>
        <Tile
          title="Hub connections"
          figure={formatCount(hubConnections)}
          tone="neutral"
          icon="info"
        >
          On this machine
        </Tile>
      </div>
      <div class="columns">
        <Facts
          title="Process"
          facts={[
            ['Version', version],
            ['Node', node],
            ['Running since', `${formatMoment(startedAt, 'UTC', now)} UTC`],
            ['Memory', bytes(memory)],
          ]}
        />
        <Facts
          title="Database"
          facts={[
            ['Kind', database.kind === 'pglite' ? 'PGlite (in the data folder)' : 'Postgres'],
            ['Size', bytes(database.bytes)],
            ...(disk.space ? [['Disk', spaceWords(disk.space)] satisfies [string, string]] : []),
            [
              'Newest backup',
              !backups
                ? 'Not made by Twinshelf'
                : backups.newestAt
                  ? `${formatMoment(backups.newestAt, 'UTC', now)} UTC`
                  : 'None yet',
            ],
            ['Shoppers’ events', disk.isHeldBack ? 'Refused: the disk is nearly full' : 'Accepted'],
            [
              'Migrations',
              `${formatCount(database.migrations)}${database.isMigrated ? ', all of them' : ', others than this version knows'}`,
            ],
          ]}
        />
        <Facts
          title="Jobs"
          facts={[
            ['Running', formatCount(jobs.active)],
            ['Due', formatCount(jobs.due)],
            ['Scheduled', formatCount(jobs.later)],
            ['Waiting to retry', formatCount(jobs.retrying)],
            ['Failed in 7 days', formatCount(jobs.errored)],
          ]}
        />
        <div class="stack">
          <Facts
            title="Google Analytics"
            facts={[
              ['Stores that send', formatCount(analytics.enabled)],
              ['Stores with errors', formatCount(analytics.failing)],
            ]}
          />
          <Facts
            title="Plan requests"
            facts={[
              ['Open', <a href={paths.admin('leads')}>{formatCount(leads.open)}</a>],
              ['Mailed to', leads.address ?? 'No address: LEADS_EMAIL is not set'],
              ['Not mailed yet', formatCount(leads.failing)],
            ]}
          />
        </div>
      </div>
      <section class="card" aria-labelledby="errors">
        <div class="card-head">
          <h2 id="errors">Newest errors</h2>
        </div>
        {jobs.newestError || scripts.newestError || analytics.newestError ? (
          <div class="table-scroll">
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">What</th>
                  <th scope="col">Shop</th>
                  <th scope="col">Error</th>
                  <th scope="col">When (UTC)</th>
                </tr>
              </thead>
              <tbody>
                {jobs.newestError && (
                  <ErrorRow
                    what={jobWords[jobs.newestError.kind]}
                    error={jobs.newestError}
                    when={formatMoment(jobs.newestError.at, 'UTC', now)}
                  />
                )}
                {scripts.newestError && (
                  <ErrorRow
                    what="Publishing a script"
                    error={scripts.newestError}
                    when={`Tried again ${formatMoment(scripts.newestError.at, 'UTC', now)}`}
                  />
                )}
                {analytics.newestError && (
                  <ErrorRow
                    what="Sending to Google"
                    error={analytics.newestError}
                    when={`Tried again ${formatMoment(analytics.newestError.at, 'UTC', now)}`}
                  />
                )}
              </tbody>
            </table>
          </div>
        ) : (
          <p class="card-body">
            <span class="status" data-tone="good">
              <Icon name="check" />
              No failed jobs in 7 days, no refused scripts, and no Google Analytics errors.
            </span>
          </p>
        )}
      </section>
    </>
  )
}

const ErrorRow = ({
  what,
  error,
  when,
}: {
  what: string
  error: { message: string; shop: string }
  when: string
}) => (
  <tr>
    <th scope="row">{what}</th>
    <td>{error.shop}</td>
    <td class="wraps">{error.message || 'No message'}</td>
    <td>{when}</td>
  </tr>
)

const Facts = ({
  title,
  facts,
}: {
  title: string
  facts: [name: string, value: ComponentChildren][]
}) => (
  <section class="card" aria-label={title}>
    <div class="card-head">
      <h2>{title}</h2>
    </div>
    <dl class="card-body facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  </section>
)

const bytes = (n: number): string =>
  n >= 1e9 ? `${(n / 1e9).toFixed(1)} GB` : `${formatCount(Math.round(n / 1e6))} MB`

/** "8 s", "3 min", "2 h", "4 days". */
function ago(instant: string, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(instant)) / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800
    ? `${Math.round(seconds / 3600)} h`
    : `${Math.round(seconds / 86_400)} days`
}
