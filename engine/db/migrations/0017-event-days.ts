import type { Migration } from '../migrate.ts'

/**
 * Raw events by day, so that an old day goes in one statement and a question about a day reads no other; and past
 * experiments that were taken in from a file.
 */
export const eventDays: Migration = {
  name: '0017-event-days',
  statements: [
    'alter table events rename to events_in_one',
    'alter table events_in_one rename constraint events_pkey to events_in_one_pkey',
    'alter index exposures_in_turn rename to exposures_in_turn_in_one',
    'create table events (like events_in_one) partition by range (day)',
    // Before Postgres 17 a partitioned table can have no identity column.
    'create sequence events_seq',
    `alter table events alter column seq set default nextval('events_seq'), add primary key (store_id, day, id)`,
    'alter sequence events_seq owned by events.seq',
    'create index exposures_in_turn on events (store_id, seq) where kind = 0 and set_aside = 0',
    // Days that no partition is made for (engine/events/event-days.ts says which have one).
    'create table events_other partition of events default',
    // As engine/events/event-days.ts makes them, for the days on which something was counted.
    `do $$
      declare d date;
      begin
        for d in select distinct day from events_in_one where set_aside <> 1 and abs(at::date - day) <= 3 loop
          execute format('create table %I partition of events for values from (%L) to (%L)', 'events_' || to_char(d, 'YYYYMMDD'), d, d + 1);
        end loop;
      end $$`,
    'insert into events select * from events_in_one',
    `select setval('events_seq', coalesce((select max(seq) from events_in_one), 0) + 1, false)`,
    'drop table events_in_one',
    // Events of days before this one are gone. No row as long as all are there.
    `create table events_kept (
      is_one boolean primary key default true check (is_one),
      from_day date not null)`,

    'alter table tests add column is_imported boolean not null default false',
    // The imported test that the order belongs to; it is in no other's figures.
    'alter table orders add column imported_for uuid',
    'create index orders_imported on orders (store_id, imported_for) where imported_for is not null',
    // By its title an import finds its test again. The test itself is there once all rows are.
    `create table test_imports (
      store_id uuid not null references stores on delete cascade,
      title text not null,
      test_id uuid not null,
      weights jsonb not null,
      goal text not null,
      kind text not null,
      is_finished boolean not null,
      file_hash text not null,
      imported_at timestamptz not null,
      primary key (store_id, title))`,
  ],
}
