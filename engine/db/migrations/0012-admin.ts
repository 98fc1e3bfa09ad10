import type { Migration } from '../migrate.ts'

/** What staff's panel keeps: trials extended, looks at shops' scripts, sign-ins of merchants, days of events counted, earnings. */
export const admin: Migration = {
  name: '0012-admin',
  statements: [
    // One for each end that is moved, so that a form sent twice extends once. `done_at` is null while the platform is asked.
    `create table trial_extensions (
      store_id uuid not null references stores on delete cascade,
      trial_end timestamptz not null,
      days int not null,
      user_id uuid not null references staff_users,
      asked_at timestamptz not null,
      done_at timestamptz,
      primary key (store_id, trial_end))`,
    `create table script_checks (
      store_id uuid primary key references stores on delete cascade,
      finding text not null,
      checked_at timestamptz not null)`,
    `create table store_sign_ins (
      store_id uuid primary key references stores on delete cascade,
      at timestamptz not null)`,
    // Events of days that no late event can come for any more, so that they are counted once.
    `create table event_days (
      store_id uuid not null references stores on delete cascade,
      day date not null,
      events bigint not null,
      primary key (store_id, day))`,
    `create table earnings_months (
      month text primary key,
      file_name text not null,
      uploaded_at timestamptz not null,
      user_id uuid not null references staff_users)`,
    // Cents of US dollars. By domain and not by store: a shop may have left before it was one of ours.
    `create table earnings (
      month text not null references earnings_months on delete cascade,
      shop text not null,
      plan_id text not null references plans,
      gross bigint not null,
      fee bigint not null,
      net bigint not null,
      primary key (month, shop, plan_id))`,
    // What runs or is held, of all stores at once.
    `create index tests_in_hand on tests (store_id) where status in ('Active', 'OnHold')`,
  ],
}
