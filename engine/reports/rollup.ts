import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { minute } from '../../domain/time-units.ts'
import type { Db } from '../db/connection.ts'
import { rebuildDue } from '../events/rebuild.ts'
import { repeating, type Repeating } from '../http/repeating.ts'
import { rollUpTest } from './rollup-test.ts'
import { commitTime } from '../tests/test-statuses.ts'

/**
 * `longestWait`: longest time from a change until its figures are on screen. `reviewEvery`: how
 * often an unchanged test is summed up again, because a verdict can become due by time alone.
 * Milliseconds.
 */
const longestWait = 2_000,
  reviewEvery = minute
// The rollup works about a tenth of the time at most, as long as `longestWait` allows that: a
// change just after a run has read its data waits for that run, the rest, and the next run.
const restPerWork = 9,
  shortestWait = 500

/**
 * `runNow` sums up every test that has changed. `state`: how many changed tests the last run found,
 * and milliseconds since the last run ended.
 */
export type Rollup = Repeating & { state: () => { due: number; age: number } }

/**
 * Keeps test_summaries up to date with visitors, orders and the calendar. Calls `onSummed` for each
 * test that it has summed up. Several processes may run this on one database.
 */
export function startRollup({
  db,
  clock,
  log,
  byItself,
  onSummed,
}: {
  db: Db
  clock: () => Date
  log: FastifyBaseLogger
  byItself?: boolean | undefined
  onSummed?: (storeId: string, testId: string) => void
}): Rollup {
  /**
   * Runs once per start, while the tests of all other stores are summed up: the rebuild of a store
   * may take minutes.
   */
  let upgrade: Promise<void> | undefined
  let isUpgraded = false,
    due = 0,
    endedAt = performance.now()
  const upgraded = (): Promise<void> =>
    (upgrade ??= rebuildDue(db, () => rollup.signal.aborted)
      .catch((error: unknown) =>
        log.error({ err: error }, 'aggregates of an earlier version not rebuilt'),
      )
      .finally(() => {
        isUpgraded = true
      }))

  async function runOnce(stopping: AbortSignal): Promise<void> {
    void upgraded()
    const changed = await dueTests(db, clock(), !isUpgraded)
    due = changed.length
    for (const { store_id, test_id } of changed) {
      if (stopping.aborted) return
      try {
        await rollUpTest(db, store_id, test_id, clock())
        onSummed?.(store_id, test_id)
      } catch (error) {
        log.error({ err: error, test: test_id }, 'test not summed up')
      }
    }
    endedAt = performance.now()
  }

  const rollup = repeating({
    run: runOnce,
    byItself,
    firstAfter: 0,
    restAfter: took => Math.max(shortestWait, Math.min(took * restPerWork, longestWait - 2 * took)),
    onError: error => log.error({ err: error }, 'rollup failed'),
  })
  return {
    ...rollup,
    runNow: async () => {
      await upgraded()
      await rollup.runNow()
    },
    stop: async () => {
      await rollup.stop()
      await upgrade
    },
    state: () => ({ due, age: performance.now() - endedAt }),
  }
}

/**
 * The tests to sum up: launched, not settled, and with figures, dates or titles that changed since
 * their last summary. Also tests whose last summary is older than `reviewEvery`: the running ones,
 * and those whose change may not have been committed at that summary. During an upgrade it leaves
 * out the stores that wait for their rebuild, because their figures are those of an earlier
 * version.
 */
export async function dueTests(
  db: Db,
  now: Date,
  isUpgrading: boolean,
): Promise<{ store_id: string; test_id: string }[]> {
  const { rows } = await sql<{ store_id: string; test_id: string }>`
    select t.store_id, t.test_id from tests t
    left join test_changes c on c.store_id = t.store_id and c.test_id = t.test_id
    left join test_summaries s on s.store_id = t.store_id and s.test_id = t.test_id
    where t.start_at is not null and t.settled_at is null and not (${isUpgrading} and exists (select from rebuilds_due r where r.store_id = t.store_id)) and (s.test_id is null or t.updated_at >= s.updated_at or c.changed > s.changed or c.orders_changed > s.orders_changed
      or ((t.ended_at is null or s.updated_at < t.updated_at + ${commitTime} * interval '1 millisecond') and s.updated_at < ${new Date(now.getTime() - reviewEvery)}))`.execute(
    db.kysely,
  )
  return rows
}
