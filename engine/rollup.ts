import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import type { Db } from './db/connection.ts'
import { rebuildDue } from './rebuild.ts'
import { rollUpTest } from './rollup-test.ts'

/** Longest wait from a change to its figures on screen, and how often an unchanged test is looked at (a verdict can fall due by time alone). Milliseconds. */
const longestWait = 2_000, reviewEvery = 60_000
// Summing up takes at most about a tenth of the time, as long as that keeps to the longest wait.
const restPerWork = 9, shortestWait = 500

export type Rollup = {
  /** Sums up every test that has changed, now. */
  runNow: () => Promise<void>
  /** Lets a run under way finish. */
  stop: () => Promise<void>
}

/** Keeps test_summaries up to date with visitors, orders and the calendar. Several processes may run it on one database. */
export function startRollup({ db, clock, log }: { db: Db; clock: () => Date; log: FastifyBaseLogger }): Rollup {
  let isStopped = false
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  /** Tried once a start: before it, figures of an earlier version would be summed up. */
  let upgraded: Promise<void> | undefined

  /** One run at a time; who asks during a run gets the next one too, since the first may have read before the change. */
  const runNow = async (): Promise<void> => {
    if (running) await running.catch(() => {})
    await (running ??= runOnce().finally(() => { running = null }))
  }

  async function runOnce(): Promise<void> {
    await (upgraded ??= rebuildDue(db, () => isStopped).catch((error: unknown) => log.error({ err: error }, 'aggregates of an earlier version not made again')))
    for (const { store_id, test_id } of await dueTests(db, clock())) {
      if (isStopped) return
      try {
        await rollUpTest(db, store_id, test_id, clock())
      } catch (error) {
        log.error({ err: error, test: test_id }, 'test not summed up')
      }
    }
  }

  const tick = async (): Promise<void> => {
    const began = performance.now()
    await runNow().catch((error: unknown) => log.error({ err: error }, 'rollup failed'))
    if (isStopped) return
    const took = performance.now() - began
    timer = setTimeout(() => void tick(), Math.max(shortestWait, Math.min(took * restPerWork, longestWait - took)))
    timer.unref()
  }
  void tick()

  return {
    runNow,
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await running?.catch(() => {})
    },
  }
}

/** Launched tests whose figures, dates or titles changed since they were summed up, and running ones not looked at for a while. */
async function dueTests(db: Db, now: Date): Promise<{ store_id: string; test_id: string }[]> {
  const { rows } = await sql<{ store_id: string; test_id: string }>`
    select t.store_id, t.test_id from tests t
    left join test_changes c on c.store_id = t.store_id and c.test_id = t.test_id
    left join test_summaries s on s.store_id = t.store_id and s.test_id = t.test_id
    where t.start_at is not null and (s.test_id is null or t.updated_at >= s.updated_at or c.changed > s.changed or c.orders_changed > s.orders_changed
      or (t.ended_at is null and s.updated_at < ${new Date(now.getTime() - reviewEvery)}))`.execute(db.kysely)
  return rows
}
