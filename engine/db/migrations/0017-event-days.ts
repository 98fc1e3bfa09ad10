import type { Migration } from '../migrate.ts'

/**
 * Partitions raw events by day, so that one statement drops an old day and a query about one day
 * reads no other. Also adds the tables for experiments that are imported from a file.
 */
export const eventDays: Migration = {
  name: '0017-event-days',
  statements: [
    'alter table events rename to events_in_one',
    'alter table events_in_one rename constraint events_pkey to events_in_one_pkey',
    'alter index exposures_in_turn rename to exposures_in_turn_in_one',
    'create table events (like events_in_one) partition by range (day)',
    // Before Postgres 17 a partitioned table cannot have an identity column.
    'create sequence events_seq',
    `alter table events alter column seq set default nextval('events_seq'), add primary key (store_id, day, id)`,
    'alter sequence events_seq owned by events.seq',
    'create index exposures_in_turn on events (store_id, seq) where kind = 0 and set_aside = 0',
    // For days without a partition (engine/events/event-days.ts decides which days have one).
    'create table events_other partition of events default',
    // Creates partitions as engine/events/event-days.ts does, for the days on which something was
    // counted.
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
    // Events of days before this one were deleted. No row while all events are there.
    `create table events_kept (
      is_one boolean primary key default true check (is_one),
      from_day date not null)`,

    'alter table tests add column is_imported boolean not null default false',
    // The imported test that the order belongs to. It counts for no other test.
    'alter table orders add column imported_for uuid',
    'create index orders_imported on orders (store_id, imported_for) where imported_for is not null',
    // An import finds its test by its title. The test itself exists once all rows are stored.
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
