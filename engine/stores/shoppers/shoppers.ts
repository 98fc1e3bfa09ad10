import { sql } from 'kysely'
import { shopperTables } from '../../../domain/stores/shoppers/shopper-tables.ts'
import { maxExportedEvents, type ShopperExport } from '../../../domain/stores/shoppers/shopper.ts'
import { rows as query } from '../../db/raw.ts'
import { holdDays, otherDays, partitionedDays, partitionOf } from '../../events/event-days.ts'
import type { Trx } from '../../db/types.ts'

/** A shopper as far as we can know: browsers (visitors) and orders that belong together. */
export type Shopper = { visitors: string[]; orders: string[] }

/**
 * Extends the ids to everything connected with them: orders of the visitors, visitors of the
 * orders, and renewals of either.
 */
export async function wholeShopper(trx: Trx, storeId: string, named: Shopper): Promise<Shopper> {
  const visitors = new Set(named.visitors),
    orders = new Set(named.orders)
  for (let known = -1; known < visitors.size + orders.size;) {
    known = visitors.size + orders.size
    const found = await query<{ order_id: string; visitor_id: string | null }>(
      trx,
      `
      select order_id, visitor_id from orders where store_id = $1 and (order_id = any($2::text[]) or visitor_id = any($3::text[]) or first_order = any($2::text[]))
      union select f.order_id, f.visitor_id from orders o join orders f on f.store_id = o.store_id and f.order_id = o.first_order where o.store_id = $1 and o.order_id = any($2::text[])`,
      [storeId, [...orders], [...visitors]],
    )
    for (const { order_id, visitor_id } of found) {
      orders.add(order_id)
      if (visitor_id !== null) visitors.add(visitor_id)
    }
  }
  return { visitors: [...visitors].sort(), orders: [...orders].sort() }
}

/** The names of the tables with events. They are locked until the caller's transaction ends. */
export async function eventParts(trx: Trx): Promise<string[]> {
  await holdDays(trx)
  return [otherDays, ...(await partitionedDays({ kysely: trx })).map(partitionOf)]
}

type Row = { row: Record<string, unknown> }

/**
 * Exports all stored data of a shopper. Of their events only the newest ones (`maxExportedEvents`).
 */
export async function exportOf(
  trx: Trx,
  { id, shop }: { id: string; shop: string },
  named: Shopper,
  now: Date,
): Promise<ShopperExport> {
  const { visitors, orders } = await wholeShopper(trx, id, named)
  const tables: ShopperExport['tables'] = {}
  const read = async (table: string, column: string, ids: string[]) =>
    keep(
      table,
      await sql<Row>`select to_jsonb(t) as row from ${sql.id(table)} t where t.store_id = ${id} and ${sql.ref(`t.${column}`)} = any(${ids})`.execute(
        trx,
      ),
    )
  // Push one by one: spreading all rows into one call could overflow the stack.
  const keep = (table: string, { rows }: { rows: Row[] }): number => {
    for (const { row } of rows) {
      const { store_id: _, ...own } = row
      ;(tables[table] ??= []).push(own)
    }
    return rows.length
  }
  let olderEvents = 0
  const readEvents = async (): Promise<void> => {
    let room = maxExportedEvents
    // Newest day first.
    for (const part of (await eventParts(trx)).reverse()) {
      const own = sql`from ${sql.id(part)} t where t.store_id = ${id} and t.visitor_id = any(${visitors})`
      const read = keep(
        'events',
        await sql<Row>`select to_jsonb(t) as row ${own} order by t.at desc limit ${room}`.execute(
          trx,
        ),
      )
      if (read === room) {
        const {
          rows: [all],
        } = await sql<{ n: number }>`select count(*)::int as n ${own}`.execute(trx)
        olderEvents += all!.n - read
      }
      room -= read
    }
  }
  for (const [table, { visitor, fields }] of Object.entries(shopperTables)) {
    if (table === 'events') await readEvents()
    else if ('order_id' in fields) await read(table, 'order_id', orders)
    else if (visitor) await read(table, visitor, visitors)
  }
  return {
    shop,
    asOf: now.toISOString(),
    visitors,
    orders,
    ...(olderEvents > 0 && { olderEvents }),
    tables,
  }
}
