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
  if (!has.has('cancelled_at')) db.exec('alter table orders add column cancelled_at text')
  // When something about the order changed last. Nobody knows it of orders of an older shop.
  if (!has.has('updated_at')) {
    db.exec('alter table orders add column updated_at text')
    db.exec('update orders set updated_at = created_at')
  }
  if (!has.has('is_express'))
    db.exec('alter table orders add column is_express integer not null default 0')
  // How prices were made in that currency.
  if (!has.has('step'))
    db.exec(`
      alter table orders add column step integer not null default 1;
      alter table orders add column ending integer not null default 0;
      alter table orders add column has_price_list integer not null default 0`)
  // Percent of tax that the prices included.
  if (!has.has('tax_rate'))
    db.exec('alter table orders add column tax_rate real not null default 0')
  db.exec(`
    create index if not exists orders_updated_at on orders (updated_at, number);
    create table if not exists subscriptions (
      id integer primary key, order_id text not null, plan_id integer not null, every_days integer not null, lines text not null,
      made integer not null default 0, next_at text not null, unique (order_id, plan_id)) strict;
    create index if not exists subscriptions_next_at on subscriptions (next_at)`)
}
