import { sql } from 'kysely'
import { eventAge } from '../../domain/events/event.ts'
import { importedLike } from '../../domain/imports/imported.ts'
import { day as dayLength, minute } from '../../domain/time-units.ts'
import { isBusy } from '../db/busy.ts'
import type { Db } from '../db/connection.ts'
import { setAside } from './fold/event-rows.ts'

type Database = Pick<Db, 'kysely'>

/**
 * An event can create its day's partition only if it arrives at most this long before or after that
 * day, so that nonsense dates cannot create thousands of partitions. Milliseconds.
 */
const reach = 3 * dayLength
/**
 * Lock timeout of a transaction that makes or drops a partition: another one may hold the table or
 * be doing the same. Milliseconds.
 */
const timeout = 1_000
/**
 * How long a process waits before it tries again to make a day's partition. A reader may lock the
 * table for minutes, and no event waits for that. Milliseconds.
 */
const triedAgainAfter = minute
/**
 * Number of coming days whose partitions are made in advance, so that no event has to make them.
 */
const daysAhead = 2
/** A day is over in every time zone this long after it begins in UTC. Milliseconds. */
const ownWithin = 2 * dayLength

export const otherDays = 'events_other'
export const partitionOf = (day: string): string => `events_${day.replaceAll('-', '')}`

export type EventDays = {
  /**
   * Makes the missing partitions of these days, each once per process. Never throws: rows of a day
   * without a partition are kept in the default partition (`otherDays`).
   */
  ensure: (days: Iterable<string>) => Promise<void>
  /**
   * Whether a partition must still be made for an event of this day that arrived at `received`
   * (milliseconds).
   */
  lacks: (day: string, received: number) => boolean
}

export function eventDays(db: Database, onError: (error: unknown) => void): EventDays {
  const made = new Set<string>(),
    tried = new Map<string, number>()
  return {
    lacks: (day, received) =>
      !made.has(day) &&
      isNear(day, received) &&
      performance.now() - (tried.get(day) ?? -Infinity) > triedAgainAfter,
    ensure: async days => {
      for (const day of days) {
        tried.set(day, performance.now())
        try {
          await makeDay(db, day)
          made.add(day)
          tried.delete(day)
        } catch (error) {
          if (!isBusy(error)) onError(error)
        }
      }
    },
  }
}

const isNear = (day: string, received: number): boolean =>
  Math.abs(Date.parse(day) - received) <= reach

/**
 * True when a day's partition was attached while a row of that day was on its way to the default
 * partition. Postgres then reports that the row violates the default partition's constraint.
 * Written again, the row goes to the new partition.
 */
export const isOvertaken = (error: unknown): boolean => {
  const { code, table } = error as { code?: unknown; table?: unknown }
  return code === '23514' && table === otherDays
}

/**
 * Makes the partition of a day (YYYY-MM-DD) and moves the day's rows there from the default
 * partition. Several processes may do this at once. Throws 55P03 (lock not available) if another
 * transaction holds the table for longer than `within` milliseconds.
 */
export async function makeDay(db: Database, day: string, within = timeout): Promise<void> {
  if (await exists(db, partitionOf(day))) return
  await inTurn(db, trx => makeDayIn(trx, day), within)
}

async function makeDayIn(trx: Db['kysely'], day: string): Promise<void> {
  const name = partitionOf(day)
  if (await exists({ kysely: trx }, name)) return
  // Makes the table first and attaches it later, because "create table … partition of" would block
  // every reader of `events`.
  await sql`create table ${sql.id(name)} (like events including all)`.execute(trx)
  await sql`lock table ${sql.id(otherDays)} in access exclusive mode`.execute(trx)
  await sql`with moved as (delete from ${sql.id(otherDays)} where day = ${day} returning *) insert into ${sql.id(name)} select * from moved`.execute(
    trx,
  )
  await sql`alter table events attach partition ${sql.id(name)} for values from (${sql.lit(day)}) to (${sql.lit(dayAfter(day))})`.execute(
    trx,
  )
}

/**
 * Call this after a restored backup has put all events into the default partition. Makes the
 * partitions that the events would have got if they had arrived one by one.
 */
export async function spreadDays(trx: Db['kysely']): Promise<void> {
  const { rows } = await sql<{ day: string }>`
    select distinct day::text as day from ${sql.id(otherDays)} where set_aside <> ${setAside.farOff} and abs(at::date - day) <= ${sql.lit(reach / dayLength)} and visitor_id not like ${importedLike} order by 1`.execute(
    trx,
  )
  for (const { day } of rows) await makeDayIn(trx, day)
}

/**
 * Makes the partitions of yesterday, today and the next `daysAhead` days (UTC), so that today's
 * exists in every time zone.
 */
export async function makeComingDays(db: Database, now: Date): Promise<void> {
  for (let ahead = -1; ahead <= daysAhead; ahead++)
    await makeDay(db, new Date(now.getTime() + ahead * dayLength).toISOString().slice(0, 10))
}

/** The days that have a partition, the earliest first. */
export async function partitionedDays(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'events'::regclass and c.relname <> ${otherDays} order by 1`.execute(
    db.kysely,
  )
  return rows.map(({ name }) => name.replace(/^events_(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'))
}

/**
 * Drops the partitions of the days before `before`, and the rows in the default partition that were
 * written until then. Returns the days that it dropped. The aggregates of these events stay. Throws
 * 55P03 (lock not available) if another transaction holds the table for too long.
 */
export async function dropDays(db: Database, before: string): Promise<string[]> {
  const days = (await partitionedDays(db)).filter(day => day < before)
  for (const day of days) {
    // Makes the index beforehand, so that `dropDay` holds its exclusive lock only for a short time.
    await inTurn(db, async trx => {
      if (await exists({ kysely: trx }, partitionOf(day)))
        await sql`create index if not exists ${sql.id(`${partitionOf(day)}_in_turn`)} on ${sql.id(partitionOf(day))} (seq)`.execute(
          trx,
        )
    })
    await inTurn(db, trx => dropDay(trx, day))
  }
  return days
}

/**
 * The day of an event comes from the browser's clock, and a clock that is months behind writes to
 * an old day today.
 * So rows that were written after the last real event of this day (which may itself have arrived
 * late, domain/events/event.ts `eventAge`) move to the default partition. They are dropped together
 * with a later day.
 */
async function dropDay(trx: Db['kysely'], day: string): Promise<void> {
  const name = sql.id(partitionOf(day)),
    others = sql.id(otherDays)
  if (!(await exists({ kysely: trx }, partitionOf(day)))) return
  // Nobody may write to the day after its last event is read.
  await sql`lock table only events in access exclusive mode`.execute(trx)
  const {
    rows: [last],
  } = await sql<{ seq: number }>`
    select seq from ${name} where set_aside <> ${setAside.farOff} and at < ${new Date(Date.parse(day) + ownWithin)} and visitor_id not like ${importedLike} order by seq desc limit 1`.execute(
    trx,
  )
  await sql`alter table events detach partition ${name}`.execute(trx)
  await sql`insert into ${others} select * from ${name} where seq > ${last?.seq ?? 0}`.execute(trx)
  await sql`drop table ${name}`.execute(trx)
  if (last) await sql`delete from ${others} where seq <= ${last.seq}`.execute(trx)
  await sql`insert into events_kept as k (from_day) values (${dayAfter(day)}) on conflict (is_one) do update set from_day = greatest(k.from_day, excluded.from_day)`.execute(
    trx,
  )
}

/** The first day (YYYY-MM-DD) whose events are all kept; null if no day was dropped. */
export async function keptFrom(db: Database): Promise<string | null> {
  const {
    rows: [row],
  } = await sql<{ day: string }>`select from_day::text as day from events_kept`.execute(db.kysely)
  return row?.day ?? null
}

/**
 * The first instant from which all events are kept, whatever day their browsers named. `kept` is
 * the first day that was not dropped (`keptFrom`).
 */
export const wholeFrom = (kept: string): Date =>
  new Date(Date.parse(kept) - dayLength + ownWithin + eventAge.behind + dayLength)

/**
 * Prevents others from making or dropping partitions until this transaction ends, so that all
 * events are in the partitions that `partitionedDays` lists. Waits for a transaction that is making
 * or dropping one.
 */
export async function holdDays(trx: Db['kysely']): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${turn})`.execute(trx)
}

async function inTurn(
  db: Database,
  change: (trx: Db['kysely']) => Promise<void>,
  within = timeout,
): Promise<void> {
  const changed = async (trx: Db['kysely']) => {
    await sql`set local lock_timeout = ${sql.lit(within)}`.execute(trx)
    await sql`select pg_advisory_xact_lock(${turn})`.execute(trx)
    await change(trx)
  }
  await db.kysely.transaction().execute(changed)
}

async function exists({ kysely }: Database, name: string): Promise<boolean> {
  return (
    (await sql`select from pg_class where oid = to_regclass(${name})`.execute(kysely)).rows.length >
    0
  )
}

const turn = sql`hashtext('twinshelf event days')`
const dayAfter = (day: string): string =>
  new Date(Date.parse(day) + dayLength).toISOString().slice(0, 10)
