import type { Database } from '../database.ts'
import { shop } from '../shop.ts'

/**
 * Adds the columns that the orders of an older shop lack, and makes the table of subscriptions to
 * renew.
 */
export function prepareOrders(db: Database): void {
  const has = new Set(
    (db.prepare('pragma table_info(orders)').all() as { name: string }[]).map(
      column => column.name,
    ),
  )
  if (!has.has('type'))
    db.exec(`alter table orders add column type text not null default 'one_time'`)
  // The id of the order that a renewal renews.
  if (!has.has('renews')) db.exec('alter table orders add column renews text')
  // The currency the buyer saw, and its rate at that moment; money columns are in the shop's own.
  if (!has.has('currency'))
    db.exec(`alter table orders add column currency text not null default '${shop.currency}'`)
  if (!has.has('rate')) db.exec('alter table orders add column rate real not null default 1')
  db.exec(`
    create table if not exists subscriptions (
      id integer primary key, order_id text not null, plan_id integer not null, every_days integer not null, lines text not null,
      made integer not null default 0, next_at text not null, unique (order_id, plan_id)) strict;
    create index if not exists subscriptions_next_at on subscriptions (next_at)`)
}
