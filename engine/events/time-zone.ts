import { rows as query } from '../db/raw.ts'
import type { Statement } from '../db/together.ts'
import type { Trx } from '../db/types.ts'

/**
 * The time zone in which a store's days are counted at this moment. A process's cached store may be
 * some seconds older than a change of its time zone (time-zone-change.ts), so callers that hold the
 * store's lock use this.
 */
export async function zoneNow(trx: Trx, store: { id: string; timeZone: string }): Promise<string> {
  return (await zonesNow(trx, [store.id])).get(store.id) ?? store.timeZone
}

/**
 * Returns a function that finds these stores in the cache, but with their time zones of this
 * moment.
 */
export async function inZonesNow<S extends { timeZone: string }>(
  trx: Trx,
  storeIds: Iterable<string>,
  storeOf: (storeId: string) => S,
): Promise<(storeId: string) => S> {
  return inZones(await zonesNow(trx, [...storeIds]), storeOf)
}

/** The same with time zones that the caller has read. */
export function inZones<S extends { timeZone: string }>(
  zones: ReadonlyMap<string, string>,
  storeOf: (storeId: string) => S,
): (storeId: string) => S {
  const stores = new Map(
    [...zones].map(([id, timeZone]) => {
      const store = storeOf(id)
      return [id, store.timeZone === timeZone ? store : { ...store, timeZone }]
    }),
  )
  return id => stores.get(id) ?? storeOf(id)
}

async function zonesNow(trx: Trx, storeIds: string[]): Promise<Map<string, string>> {
  const { text, values } = zonesOf(storeIds)
  return zonesIn(await query<ZoneRow>(trx, text, values))
}

export type ZoneRow = { store_id: string; time_zone: string }
export const zonesIn = (found: readonly ZoneRow[]): Map<string, string> =>
  new Map(found.map(row => [row.store_id, row.time_zone]))

/** Finds the time zones of these stores. */
export const zonesOf = (storeIds: readonly string[]): Statement => ({
  name: 'zones',
  text: 'select store_id, time_zone from stores where store_id = any($1::uuid[])',
  values: [storeIds],
})
