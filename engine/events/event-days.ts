import { sql } from 'kysely'
import { eventAge } from '../../domain/events/event.ts'
import { importedLike } from '../../domain/imports/imported.ts'
import { day as dayLength, minute } from '../../domain/time-units.ts'
import type { Db } from '../db/connection.ts'
import { setAside } from './fold/event-rows.ts'

type Database = Pick<Db, 'kysely'>

/** A day gets a partition when an event of it comes at most so long before or after it; what nonsense names cannot make thousands. */
const reach = 3 * dayLength
/** How long a day waits for whoever holds the table, or makes another. Milliseconds. */
const timeout = 1_000
/** How long a process leaves a day alone that it found locked: a reader may hold the table for minutes, and no event waits for it. Milliseconds. */
const triedAgainAfter = minute
/** Days made before they come, so that no event has to. */
const daysAhead = 2
/** From the first moment of a day in UTC: in every time zone it is over by then. */
const ownWithin = 2 * dayLength

export const otherDays = 'events_other'
export const partitionOf = (day: string): string => `events_${day.replaceAll('-', '')}`

export type EventDays = {
  /** Makes the partitions of these days that are not there, each once a process. Never fails: rows of a day without one are kept among the others. */
  ensure: (days: Iterable<string>) => Promise<void>
  /** Whether a day is still to be made for an event of it that came at `received` (milliseconds). */
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
          if (!isLocked(error)) onError(error)
        }
      }
    },
  }
}

const isNear = (day: string, received: number): boolean =>
  Math.abs(Date.parse(day) - received) <= reach
const isLocked = (error: unknown): boolean => (error as { code?: unknown }).code === '55P03'

/** A row on its way to the others was overtaken by its day: Postgres answers as if it broke their constraint. Written once more, it finds the partition. */
export const isOvertaken = (error: unknown): boolean => {
  const { code, table } = error as { code?: unknown; table?: unknown }
  return code === '23514' && table === otherDays
}

/**
 * Makes the partition of a day (YYYY-MM-DD), and moves there what was kept of it among the others. Any number of
 * processes may do so at once. Throws (55P03) rather than wait for long for whoever reads the table (`within`: milliseconds).
 */
export async function makeDay(db: Database, day: string, within = timeout): Promise<void> {
  if (await exists(db, partitionOf(day))) return
  await inTurn(db, trx => makeDayIn(trx, day), within)
}

async function makeDayIn(trx: Db['kysely'], day: string): Promise<void> {
  const name = partitionOf(day)
  if (await exists({ kysely: trx }, name)) return
  // Made aside and attached: "partition of" would have every reader of the table wait.
  await sql`create table ${sql.id(name)} (like events including all)`.execute(trx)
  await sql`lock table ${sql.id(otherDays)} in access exclusive mode`.execute(trx)
  await sql`with moved as (delete from ${sql.id(otherDays)} where day = ${day} returning *) insert into ${sql.id(name)} select * from moved`.execute(
    trx,
  )
  await sql`alter table events attach partition ${sql.id(name)} for values from (${sql.lit(day)}) to (${sql.lit(dayAfter(day))})`.execute(
    trx,
  )
}

/** Gives the days of events that came in all at once (a restored backup) their partitions, as if they had come one by one. */
export async function spreadDays(trx: Db['kysely']): Promise<void> {
  const { rows } = await sql<{ day: string }>`
    select distinct day::text as day from ${sql.id(otherDays)} where set_aside <> ${setAside.farOff} and abs(at::date - day) <= ${sql.lit(reach / dayLength)} and visitor_id not like ${importedLike} order by 1`.execute(
    trx,
  )
  for (const { day } of rows) await makeDayIn(trx, day)
}

/** Makes today and the days that come, by the calendars of all time zones. */
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
 * Drops whole days before this one, with what was written of other days until then; answers those it dropped. What was
 * summed up of them stays. Throws (55P03) rather than wait for whoever reads the table.
 */
export async function dropDays(db: Database, before: string): Promise<string[]> {
  const days = (await partitionedDays(db)).filter(day => day < before)
  for (const day of days) {
    // Beforehand, so that nobody waits while the day is read.
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
 * A day is the browser's own: a clock that is months behind writes to it today. So what was written after the day's own
 * last event, late as that may have come (domain/events/event.ts `eventAge`), is kept among the others until its turn comes.
 */
async function dropDay(trx: Db['kysely'], day: string): Promise<void> {
  const name = sql.id(partitionOf(day)),
    others = sql.id(otherDays)
  if (!(await exists({ kysely: trx }, partitionOf(day)))) return
  // Nobody may write to the day once its last event is known.
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

/** The first day (YYYY-MM-DD) of which all events are there; null as long as none was dropped. */
export async function keptFrom(db: Database): Promise<string | null> {
  const {
    rows: [row],
  } = await sql<{ day: string }>`select from_day::text as day from events_kept`.execute(db.kysely)
  return row?.day ?? null
}

/** The first instant from which all events are there, whatever day their browsers named, where the days before this one were dropped. */
export const wholeFrom = (kept: string): Date =>
  new Date(Date.parse(kept) - dayLength + ownWithin + eventAge.behind + dayLength)

/** No day is made or dropped until this transaction ends: its events are where the list of days says. Throws nothing; waits for whoever does so now. */
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
