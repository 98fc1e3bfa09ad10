import { type Kysely, sql, type UpdateObject } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import type { PriceRuleSet } from '../../domain/prices/price-test.ts'
import type { Db } from '../db/connection.ts'
import type { Schema } from '../db/schema.ts'
import { isBeingUninstalled, requireInstalled } from '../db/installed.ts'

/** Another process publishes by now, or the app leaves the shop: nothing more is to be said to it. */
export class PublicationStopped extends Error {}

type ScriptChange = Omit<UpdateObject<Schema, 'published_scripts'>, 'leased_until'>

/** A store's script, which one process at a time makes and puts on its shop. */
export type ScriptLease = {
  wanted: number
  attempts: number
  charged: PriceRuleSet[]
  /** The database was restored since: what the shop holds is not known here. */
  isRestored: boolean
  /** Writes to the row and has it for another while. Asked before each word to the shop. Throws `PublicationStopped`. */
  hold: (set?: ScriptChange) => Promise<void>
  /** Writes to the row and gives it back; answers whether it was still ours. Otherwise nothing is written. */
  release: (set?: ScriptChange, on?: Kysely<Schema>) => Promise<boolean>
}

/** What `published` says of a script that another database put on its shop. */
export const publishedBeforeRestore = -1

/** Longer than the shop is given for one answer. Seconds. */
const leaseSeconds = 15
// Times are the database's: they are about processes taking turns, not about when a test ran.
const ahead = sql<Date>`clock_timestamp() + make_interval(secs => ${leaseSeconds})`
/** Whole microseconds, which a Date has not: whoever takes it up later has a later one, so it names the holder. */
const ownName = sql<string>`leased_until::text`.as('name')
/** What is asked for while the app is taken off the shop waits: until it is off, when nothing is published, or until that was given up. */
export const isWanted = sql<boolean>`not ${isBeingUninstalled(sql`published_scripts.store_id`)}`

/** Takes up a store's publication; null when none is wanted, or another process is at it. */
export async function takeScript(
  { kysely }: Pick<Db, 'kysely'>,
  storeId: string,
): Promise<ScriptLease | null> {
  const row = await kysely
    .updateTable('published_scripts')
    .set({ leased_until: ahead })
    .where('store_id', '=', storeId)
    .whereRef('wanted', '>', 'published')
    .where('leased_until', '<', sql<Date>`now()`)
    .where(isWanted)
    .returning(['wanted', 'published', 'attempts', 'price_rules', ownName])
    .executeTakeFirst()
  if (!row) return null
  let { name } = row
  const own = (on: Kysely<Schema>, set: UpdateObject<Schema, 'published_scripts'>) =>
    on
      .updateTable('published_scripts')
      .set(set)
      .where('store_id', '=', storeId)
      .where('leased_until', '=', sql<Date>`${name}::timestamptz`)
      .returning(ownName)
      .executeTakeFirst()
  return {
    wanted: row.wanted,
    attempts: row.attempts,
    charged: row.price_rules,
    isRestored: row.published === publishedBeforeRestore,
    hold: async (set = {}) => {
      const held = await kysely.transaction().execute(async trx => {
        await requireInstalled(trx, storeId).catch(error => {
          throw error instanceof HttpProblem ? new PublicationStopped(error.message) : error
        })
        return own(trx, { ...set, leased_until: ahead })
      })
      if (!held) throw new PublicationStopped('Another process publishes this script.')
      name = held.name
    },
    release: async (set = {}, on = kysely) =>
      (await own(on, { ...set, leased_until: sql<Date>`'-infinity'` })) !== undefined,
  }
}
