import { sql } from 'kysely'
import type { JobKind } from '../../domain/jobs/job.ts'
import type { ApiHealth } from '../../domain/staff/staff-health.ts'
import type { LeadMailing } from '../../domain/staff/staff-leads.ts'
import { day } from '../../domain/time-units.ts'
import { leadCounts, unmailedLeads } from './admin-leads.ts'
import type { EngineContext } from '../context.ts'
import { isMigrated } from '../db/migrate.ts'
import type { BackupState } from '../operators/backup-schedule.ts'
import type { Disk } from '../db/disk.ts'
import type { StaffServe } from '../http/routes.ts'

type Error = { message: string; at: Date; shop: string }
const week = 7 * day

export type ApiHealthOptions = {
  version: string
  startedAt: Date
  hubConnections: () => number
  isOneAddress: () => boolean
  disk: Pick<Disk, 'space' | 'isHeldBack'>
  backups: () => BackupState | null
  mailing: LeadMailing
}

const shown = (state: BackupState | null): ApiHealth['backups'] =>
  state && { newestAt: state.newestAt?.toISOString() ?? null, problem: state.problem }

/** Serves the health of the API itself, read from the database at each call. */
export function adminApiHealth(
  serve: StaffServe,
  { db, clock }: EngineContext,
  { version, startedAt, hubConnections, isOneAddress, disk, backups, mailing }: ApiHealthOptions,
): void {
  const { kysely } = db

  serve('adminApiHealth', async () => ({
    version,
    node: process.versions.node,
    startedAt: startedAt.toISOString(),
    memory: process.memoryUsage().rss,
    disk: { space: disk.space(), isHeldBack: disk.isHeldBack() },
    backups: shown(backups()),
    database: await database(),
    jobs: await jobs(),
    scripts: await scripts(),
    reportsWaiting: await reportsWaiting(),
    hubConnections: hubConnections(),
    isOneAddress: isOneAddress(),
    analytics: await analytics(),
    leads: {
      ...mailing,
      open: (await leadCounts(kysely)).open,
      failing: await unmailedLeads(kysely),
    },
  }))

  async function database(): Promise<ApiHealth['database']> {
    const begun = performance.now()
    await sql`select 1`.execute(kysely)
    const milliseconds = Math.round((performance.now() - begun) * 100) / 100
    const {
      rows: [row],
    } = await sql<{
      bytes: number
      migrations: number
    }>`select pg_database_size(current_database()) as bytes, (select count(*)::int from migrations) as migrations`.execute(
      kysely,
    )
    return {
      kind: db.dialect,
      milliseconds,
      bytes: Number(row!.bytes),
      migrations: row!.migrations,
      isMigrated: await isMigrated(db),
    }
  }

  async function jobs(): Promise<ApiHealth['jobs']> {
    const now = clock(),
      since = new Date(now.getTime() - week)
    const {
      rows: [row],
    } = await sql<
      Omit<ApiHealth['jobs'], 'newestError' | 'oldestDueAt'> & { oldestDueAt: Date | null }
    >`
      select (count(*) filter (where status = 'queued' and run_at <= ${now}))::int as due, min(run_at) filter (where status = 'queued' and run_at <= ${now}) as "oldestDueAt",
        (count(*) filter (where status = 'queued' and run_at > ${now}))::int as later, (count(*) filter (where status in ('active', 'updated')))::int as active,
        (count(*) filter (where status = 'queued' and attempts > 0))::int as retrying, (count(*) filter (where status = 'errored' and updated_at >= ${since}))::int as errored from jobs`.execute(
      kysely,
    )
    const {
      rows: [error],
    } = await sql<Error & { kind: JobKind }>`
      select j.kind, coalesce(j.message, '') as message, j.updated_at as at, s.shop from jobs j join stores s on s.store_id = j.store_id
      where j.status = 'errored' and j.updated_at >= ${since} order by j.updated_at desc limit 1`.execute(
      kysely,
    )
    return {
      ...row!,
      oldestDueAt: row!.oldestDueAt?.toISOString() ?? null,
      newestError: error ? { ...error, at: error.at.toISOString() } : null,
    }
  }

  async function scripts(): Promise<ApiHealth['scripts']> {
    const {
      rows: [row],
    } = await sql<{ waiting: number; failing: number }>`
      select count(*)::int as waiting, (count(*) filter (where attempts > 0))::int as failing from published_scripts where wanted > published`.execute(
      kysely,
    )
    const {
      rows: [error],
    } = await sql<Error>`
      select coalesce(p.last_error, '') as message, p.next_attempt_at as at, s.shop from published_scripts p join stores s on s.store_id = p.store_id
      where p.wanted > p.published and p.attempts > 0 order by p.next_attempt_at desc limit 1`.execute(
      kysely,
    )
    return { ...row!, newestError: told(error) }
  }

  async function reportsWaiting(): Promise<number> {
    const {
      rows: [row],
    } = await sql<{ n: number }>`
      select count(*)::int as n from test_changes c join tests t on t.store_id = c.store_id and t.test_id = c.test_id
        left join test_summaries s on s.store_id = c.store_id and s.test_id = c.test_id where s.changed is distinct from c.changed`.execute(
      kysely,
    )
    return row!.n
  }

  async function analytics(): Promise<ApiHealth['analytics']> {
    const {
      rows: [row],
    } = await sql<{ enabled: number; failing: number }>`
      select count(*)::int as enabled, (count(*) filter (where attempts > 0))::int as failing from analytics_settings where enabled`.execute(
      kysely,
    )
    const {
      rows: [error],
    } = await sql<Error>`
      select coalesce(a.last_error, '') as message, a.next_attempt_at as at, s.shop from analytics_settings a join stores s on s.store_id = a.store_id
      where a.enabled and a.attempts > 0 order by a.next_attempt_at desc limit 1`.execute(kysely)
    return { ...row!, newestError: told(error) }
  }
}

const told = (error: Error | undefined) => (error ? { ...error, at: error.at.toISOString() } : null)
