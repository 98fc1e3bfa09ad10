import type { Migration } from '../migrate.ts'

/**
 * Tables of the staff panel: extended trials, checks of shops' scripts, merchants' sign-ins, events
 * counted by day, earnings.
 */
export const admin: Migration = {
  name: '0012-admin',
  statements: [
    // One row for each trial end that is moved, so that a form sent twice extends the trial once.
    // `done_at` is null while we wait for the platform.
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
    // Number of events of days for which no late event can arrive any more, so that they are
    // counted once.
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
    // Cents of US dollars. By shop domain and not by store: a shop may have left before we stored
    // it.
    `create table earnings (
      month text not null references earnings_months on delete cascade,
      shop text not null,
      plan_id text not null references plans,
      gross bigint not null,
      fee bigint not null,
      net bigint not null,
      primary key (month, shop, plan_id))`,
    // For the running and held tests of all stores together.
    `create index tests_in_hand on tests (store_id) where status in ('Active', 'OnHold')`,
  ],
}
