import { Counter, Gauge, Registry } from 'prom-client'
import { type JobKind, jobKinds } from '../../domain/jobs/job.ts'
import { reconciledThings } from '../../domain/platform/reconciled.ts'
import { minute } from '../../domain/time-units.ts'
import type { Db } from '../db/connection.ts'
import { rows } from '../db/raw.ts'
import { type JobOutcome, jobOutcomes } from '../jobs/jobs.ts'
import type { Disk } from '../db/disk.ts'

/**
 * The engine's metrics in Prometheus's text format. No label may have more values with more stores,
 * tests or visitors.
 */
export type EngineMetrics = {
  collector: CollectorMeter
  jobEnded: (kind: JobKind, outcome: JobOutcome) => void
  /**
   * A message for operators while beacons have been put off for longer than a restart takes; null
   * otherwise.
   */
  collectorTrouble: () => string | null
  /** From this call on, `text` includes these. */
  watch: (watched: Watched) => void
  /**
   * All metrics as they are now. When the database does not answer, the text says so, with all
   * metrics that need no database.
   */
  text: () => Promise<string>
}
export type CollectorMeter = {
  /**
   * Counts a beacon as waiting to be stored. Call the returned function when it is stored or
   * refused.
   */
  begun: () => () => void
  /** Counts an answered beacon: its status and its number of events. */
  answered: (status: number, events: number) => void
}

/**
 * All processes on one database report the same numbers of it. For jobs, publications and analytics
 * take the highest value, not the sum.
 */
type Watched = {
  db: Db
  clock: () => Date
  hubConnections: () => number
  isHubHearing: () => boolean
  isOneAddress: () => boolean
  /**
   * Number of tests that the last look found changed, and milliseconds since the last run ended.
   */
  rollup: () => { due: number; age: number }
  disk: Pick<Disk, 'space' | 'isHeldBack'>
}

/** `putOff`: not stored now. The shopper's browser keeps the beacon and sends it again. */
const outcomes = { 204: 'taken', 429: 'limited', 503: 'putOff' } as const
const beaconOutcomes = [...Object.values(outcomes), 'refused'] as const
const jobStates = ['waiting', 'due', 'running'] as const
/** Milliseconds to wait for the database. A scrape waits for ten seconds at most. */
const timeout = 5_000
/**
 * Milliseconds for which beacons must have been put off before that is reported, and how recent the
 * last one must be.
 */
const troubleAfter = 30_000,
  troubleHolds = minute

export function engineMetrics(clock: () => number = () => performance.now()): EngineMetrics {
  const registry = new Registry(),
    registers = [registry]
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge<L>({ name: `twinshelf_${name}`, help, labelNames, registers })
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter<L>({ name: `twinshelf_${name}`, help, labelNames, registers })

  const beacons = counter('collector_beacons_total', 'Beacons of shoppers’ browsers, by outcome.', [
    'outcome',
  ])
  const events = counter('collector_events_total', 'Events in those beacons that could be read.', [
    'outcome',
  ])
  const waitingBeacons = gauge('ingest_waiting_beacons', 'Beacons received and not yet committed.')
  const oldestBeacon = gauge('ingest_oldest_seconds', 'How long the oldest of these has waited.')
  const dueTests = gauge(
    'rollup_due_tests',
    'Tests whose figures the last look found changed since they were summed up.',
  )
  const rollupAge = gauge('rollup_age_seconds', 'Time since figures were last summed up.')
  const jobs = gauge('jobs', 'Unfinished jobs: waiting for their time, due, running.', [
    'kind',
    'state',
  ])
  const oldestJob = gauge('jobs_oldest_due_seconds', 'How long the oldest due job has waited.')
  const jobRuns = counter(
    'job_runs_total',
    'Ended runs of jobs, by outcome: errored jobs are stopped, retried jobs run again.',
    ['kind', 'outcome'],
  )
  const publications = gauge(
    'publications',
    'Shops whose script must be published again: waiting, or failing after an attempt.',
    ['state'],
  )
  const google = gauge(
    'google_failing_stores',
    'Stores whose exposures Google Analytics did not take at the last attempt.',
  )
  const reconciled = gauge(
    'reconciled',
    'What the nightly comparisons with the platform have found in all that no webhook had told.',
    ['what'],
  )
  const hubSockets = gauge('hub_connections', 'Open connections to the job hub.')
  const hubHears = gauge('hub_hears', '1 while notifications of other processes arrive.')
  const oneAddress = gauge(
    'collector_one_address',
    '1 while all beacons since the start, a hundred at least, came from one address.',
  )
  const databaseUp = gauge('database_up', '1 while the database answers.')
  const connections = gauge(
    'database_connections',
    'Connections of the pool, and queries that wait for one.',
    ['state'],
  )
  const diskBytes = gauge(
    'disk_bytes',
    'The disk under the data folder (PGlite only): free, and its size.',
    ['kind'],
  )
  const heldBack = gauge(
    'events_held_back',
    '1 while shoppers’ events are not taken because the disk is nearly full.',
  )
  for (const outcome of beaconOutcomes)
    for (const each of [beacons, events]) each.inc({ outcome }, 0)
  for (const kind of jobKinds) for (const outcome of jobOutcomes) jobRuns.inc({ kind, outcome }, 0)

  /** Arrival times of the waiting beacons, oldest first. */
  const underWay = new Set<{ at: number }>()
  let watched: Watched | undefined
  let givenBack: { since: number; last: number } | null = null

  async function askDatabase({ db, clock }: Watched): Promise<void> {
    const now = clock()
    const found = await rows<{
      kind: JobKind
      state: (typeof jobStates)[number]
      count: number
      oldest: number
    }>(
      db.kysely,
      `
      select kind, case when leased_until > clock_timestamp() then 'running' when run_at <= $1::timestamptz then 'due' else 'waiting' end as state,
        count(*)::int as count, extract(epoch from $1::timestamptz - min(run_at))::float8 as oldest
      from jobs where status not in ('completed', 'errored') group by 1, 2`,
      [now],
    )
    const [behind] = await rows<{ waiting: number; failing: number; google: number }>(
      db.kysely,
      `
      select (count(*) filter (where attempts = 0))::int as waiting, (count(*) filter (where attempts > 0))::int as failing,
        (select count(*) from analytics_settings where enabled and attempts > 0)::int as google
      from published_scripts where wanted > published`,
      [],
    )
    for (const kind of jobKinds)
      for (const state of jobStates)
        jobs.set(
          { kind, state },
          found.find(each => each.kind === kind && each.state === state)?.count ?? 0,
        )
    oldestJob.set(
      Math.max(0, ...found.filter(({ state }) => state === 'due').map(({ oldest }) => oldest)),
    )
    publications.set({ state: 'waiting' }, behind!.waiting)
    publications.set({ state: 'failing' }, behind!.failing)
    google.set(behind!.google)
    const lost = await rows<{ what: string; count: number }>(
      db.kysely,
      'select key as what, sum(value::bigint)::float8 as count from reconciliations, jsonb_each_text(total) group by key',
      [],
    )
    for (const what of reconciledThings)
      reconciled.set({ what }, lost.find(each => each.what === what)?.count ?? 0)
  }

  async function look(at: Watched): Promise<void> {
    const {
        db: { pool },
        hubConnections,
        isHubHearing,
        isOneAddress,
        rollup,
        disk,
      } = at,
      space = disk.space()
    if (space) for (const kind of ['free', 'size'] as const) diskBytes.set({ kind }, space[kind])
    heldBack.set(Number(disk.isHeldBack()))
    const [first] = underWay,
      { due, age } = rollup()
    waitingBeacons.set(underWay.size)
    oldestBeacon.set(first ? (performance.now() - first.at) / 1000 : 0)
    dueTests.set(due)
    rollupAge.set(age / 1000)
    hubSockets.set(hubConnections())
    hubHears.set(Number(isHubHearing()))
    oneAddress.set(Number(isOneAddress()))
    if (pool)
      for (const [state, count] of Object.entries({
        used: pool.totalCount - pool.idleCount,
        idle: pool.idleCount,
        waiting: pool.waitingCount,
      }))
        connections.set({ state }, count)
    let timer: NodeJS.Timeout | undefined
    const isAnswering = await Promise.race([
      askDatabase(at).then(
        () => true,
        () => false,
      ),
      new Promise<false>(resolve => {
        timer = setTimeout(resolve, timeout, false)
      }),
    ]).finally(() => clearTimeout(timer))
    databaseUp.set(Number(isAnswering))
    if (isAnswering) return
    // The last values are out of date. Metrics without labels are removed, because `reset` would
    // set them to 0.
    for (const each of [jobs, publications, reconciled]) each.reset()
    for (const each of [oldestJob, google]) each.remove()
  }

  return {
    collector: {
      begun: () => {
        const own = { at: performance.now() }
        underWay.add(own)
        return () => underWay.delete(own)
      },
      answered: (status, count) => {
        const outcome = outcomes[status as keyof typeof outcomes] ?? 'refused',
          now = clock()
        if (outcome === 'putOff') givenBack = { since: givenBack?.since ?? now, last: now }
        if (outcome === 'taken') givenBack = null
        beacons.inc({ outcome })
        events.inc({ outcome }, count)
      },
    },
    collectorTrouble: () => {
      const now = clock()
      return givenBack &&
        now - givenBack.since >= troubleAfter &&
        now - givenBack.last <= troubleHolds
        ? 'Shoppers’ events are not stored at present. Browsers keep them and send them again.'
        : null
    },
    jobEnded: (kind, outcome) => jobRuns.inc({ kind, outcome }),
    watch: what => {
      watched = what
    },
    text: async () => {
      if (watched) await look(watched)
      return registry.metrics()
    },
  }
}
