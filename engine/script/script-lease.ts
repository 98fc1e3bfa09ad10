import { type Kysely, sql, type UpdateObject } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import type { PriceRuleSet } from '../../domain/prices/price-test.ts'
import type { Db } from '../db/connection.ts'
import type { Schema } from '../db/schema.ts'
import { isBeingUninstalled, requireInstalled } from '../db/installed.ts'

/**
 * Another process publishes now, or the app leaves the shop: nothing more may be sent to the shop.
 */
export class PublicationStopped extends Error {}

type ScriptChange = Omit<UpdateObject<Schema, 'published_scripts'>, 'leased_until'>

/**
 * The lease on a store's script: only one process at a time may make the script and publish it on
 * the shop.
 */
export type ScriptLease = {
  wanted: number
  attempts: number
  charged: PriceRuleSet[]
  /** The database was restored since then, so it does not say what the shop has. */
  isRestored: boolean
  /**
   * Writes to the row and extends the lease. Call it before each request to the shop. Throws
   * `PublicationStopped`.
   */
  hold: (set?: ScriptChange) => Promise<void>
  /**
   * Writes to the row and ends the lease. Returns false, and writes nothing, if the lease was not
   * ours any more.
   */
  release: (set?: ScriptChange, on?: Kysely<Schema>) => Promise<boolean>
}

/** The value of `published` for a script that another database published on its shop. */
export const publishedBeforeRestore = -1

/** How long a lease lasts: longer than the timeout of one request to the shop. Seconds. */
const leaseSeconds = 15
// The database's clock, not the engine's: these times only decide which process may publish, not
// when a test ran.
const ahead = sql<Date>`clock_timestamp() + make_interval(secs => ${leaseSeconds})`
/**
 * The end of the lease as text, because a Date has no microseconds. A later holder has a later end,
 * so this text identifies the holder.
 */
const ownName = sql<string>`leased_until::text`.as('name')
/**
 * SQL: false while the app is being uninstalled from the shop. A requested publication then waits
 * until the uninstall is done, after which nothing is published, or until it is abandoned.
 */
export const isWanted = sql<boolean>`not ${isBeingUninstalled(sql`published_scripts.store_id`)}`

/**
 * Takes the lease on a store's script. Returns null if no publication is wanted, or if another
 * process has the lease.
 */
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
