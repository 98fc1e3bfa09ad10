import { visitorKey } from './fold/sessions.ts'
import { sql } from 'kysely'
import type { DeviceIndex } from '../../domain/device.ts'
import { eventKinds } from '../../domain/events/event.ts'
import type { Beacon, Vitals } from '../../domain/events/event.ts'
import { aggregate } from './aggregate.ts'
import { asideAmong } from './store/visitors-aside.ts'
import { holdDays, otherDays, partitionedDays, partitionOf } from './event-days.ts'
import type { CollectingStore } from './event-stores.ts'
import type { EventRow, SetAside } from './fold/event-rows.ts'
import type { Trx } from '../db/types.ts'

const pageSize = 5_000

/**
 * Folds all stored events of a store, partition by partition, into aggregates that contain none of
 * them yet.
 */
export async function replay(trx: Trx, store: CollectingStore): Promise<void> {
  // Without this, rows could move to a partition that is made after the list is read, and we would
  // miss them.
  await holdDays(trx)
  let waiting: EventRow[] = []
  const flush = async () => {
    // Ask only for the visitors of this page: a store may have millions that are set aside.
    const visitors = new Set(waiting.map(({ visit }) => visit.visitor))
    const aside = await asideAmong(
      trx,
      [...visitors].map(visitor => ({ storeId: store.id, visitor })),
    )
    await aggregate(trx, waiting, () => store, {
      aside: { has: (storeId, visitor) => aside.has(visitorKey(storeId, visitor)), changed: [] },
    })
    waiting = []
  }
  // A cursor, so that each partition is planned and sorted only once. This works without table
  // statistics, which PGlite does not gather by itself.
  for (const part of [otherDays, ...(await partitionedDays({ kysely: trx })).map(partitionOf)]) {
    await sql`declare replayed no scroll cursor for select ${eventColumns} from ${sql.id(part)} where store_id = ${sql.lit(store.id)} order by day, id`.execute(
      trx,
    )
    for (let isMore = true; isMore;) {
      const { rows: page } = await sql<RawRow>`fetch ${sql.lit(pageSize)} from replayed`.execute(
        trx,
      )
      for (const row of page) waiting.push(eventRow(store.id, row))
      if (waiting.length >= pageSize) await flush()
      isMore = page.length === pageSize
    }
    await sql`close replayed`.execute(trx)
  }
  if (waiting.length > 0) await flush()
}

export type RawRow = {
  day: string
  id: string
  at: number
  kind: number
  device: DeviceIndex
  set_aside: SetAside
  is_bot: boolean
  is_new: boolean
  visitor_id: string
  session_id: string
  path: string
  claims: Beacon['tests']
  tests: string[] | null
  landing: string | null
  referrer: string | null
  country: string | null
  consent: boolean | null
  channel: number | null
  product: string | null
  vitals: Vitals | null
}

export const eventColumns = sql.raw(
  `day::text as day, id, round(extract(epoch from at) * 1000)::float8 as at, kind, device, set_aside, is_bot, is_new, visitor_id, session_id, path, claims, tests::text[] as tests, landing, referrer, country, consent, channel, product, vitals`,
)

export const eventRow = (storeId: string, row: RawRow): EventRow => ({
  visit: {
    storeId,
    visitor: row.visitor_id,
    session: row.session_id,
    device: row.device,
    isBot: row.is_bot,
    isNew: row.is_new,
    landing: row.landing ?? '',
    referrer: row.referrer ?? '',
    channel: row.channel,
    country: row.country,
    hasConsented: row.consent === true,
    claims: row.claims,
  },
  day: row.day,
  id: row.id,
  at: row.at,
  kind: eventKinds[row.kind]!,
  path: row.path,
  product: row.product,
  vitals: row.vitals,
  tests: row.tests,
  setAside: row.set_aside,
})
