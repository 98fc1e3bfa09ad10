import type { Migration } from '../migrate.ts'

/**
 * Plans of several steps in the journal, why a change could not be undone, and how much each shop's
 * platform lets us ask (decisions 079 and 080).
 */
export const shopPlans: Migration = {
  name: '0052-plans',
  statements: [
    // No foreign key to the test, as in `journal`.
    `create table journal_plans (
      store_id uuid not null references stores on delete cascade,
      plan_id uuid not null,
      test_id uuid,
      state text not null check (state in ('running', 'undoing')),
      refusal text,
      until timestamptz not null,
      created_at timestamptz not null,
      primary key (store_id, plan_id))`,
    `alter table journal add column plan_id uuid, add column refusal text`,
    'create index journal_of_plan on journal (store_id, plan_id, seq) where plan_id is not null',
    // Finds later changes of one place, of which a plan may have tens of thousands.
    'create index journal_of_place on journal (store_id, kind, md5(place::text))',
    // A shop may be asked before it has a store, so this names the shop.
    `create table shop_rates (
      shop text primary key,
      per_second float8 not null,
      next_at timestamptz not null,
      slowed_until timestamptz not null default '-infinity')`,
  ],
}
