import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export type Database = DatabaseSync

/**
 * Opens the shop's own database in `folder`. A statement is written to the log before it returns,
 * so a killed process loses nothing that it has answered for.
 */
export function openDatabase(folder: string): Database {
  mkdirSync(folder, { recursive: true })
  const db = new DatabaseSync(join(folder, 'shop.sqlite'))
  db.exec(`
    pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 5000; pragma foreign_keys = on;
    create table if not exists carts (
      token text primary key, lines text not null, attributes text not null, note text not null, updated_at text not null) strict;
    create index if not exists carts_updated_at on carts (updated_at);
    create table if not exists orders (
      number integer primary key autoincrement, id text not null unique, token text not null unique, cart_token text not null unique,
      created_at text not null, is_test integer not null, customer text not null, lines text not null, attributes text not null, note text not null,
      subtotal integer not null, shipping integer not null, refunded integer not null default 0) strict;
    create index if not exists orders_created_at on orders (created_at);
    create table if not exists webhooks (
      delivery_id text primary key, topic text not null, body text not null, triggered_at text not null,
      attempts integer not null default 0, next_at integer not null) strict;
    create index if not exists webhooks_next_at on webhooks (next_at);
    create table if not exists app_scripts (
      id integer primary key check (id = 1), etag text not null, body blob not null, gzip blob not null, brotli blob not null) strict;
    insert into sqlite_sequence (name, seq) select 'orders', 1000 where not exists (select 1 from sqlite_sequence where name = 'orders')`)
  return db
}

/** Runs `work` in a transaction: all of it happens, or nothing. */
export function inTransaction<T>(db: Database, work: () => T): T {
  db.exec('begin immediate')
  try {
    const result = work()
    db.exec('commit')
    return result
  } catch (error) {
    db.exec('rollback')
    throw error
  }
}
