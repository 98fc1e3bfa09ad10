import type { Migration } from '../migrate.ts'

export const billing: Migration = {
  name: '0008-billing',
  statements: [
    `alter table stores
      add column shop_name text,
      add column installed_at timestamptz,
      add column onboarding_started_at timestamptz,
      add column subscription_id text,
      add column billing_read_at timestamptz`,
    'update stores set shop_name = name, installed_at = created_at',
    // Plans sold until 2025. We offer their stores the cheaper plan that replaced them.
    `insert into plans (plan_id, level, title, monthly_visitors, price, is_annual, require_appointment, available) values
      ('core-100k-monthly-2025', 1, 'Core', 100000, 129, false, false, false),
      ('core-100k-annual-2025', 1, 'Core', 100000, 1161, true, false, false)`,
    `create table discount_codes (
      code text primary key check (code = upper(code)),
      value_type int not null check (value_type in (0, 1)),
      value int not null check (value > 0 and (value_type = 1 or value <= 100)),
      plan_id text references plans,
      expires_at timestamptz,
      max_stores int check (max_stores > 0),
      created_at timestamptz not null)`,
    `create table subscriptions (
      store_id uuid not null references stores on delete cascade,
      subscription_id text not null,
      plan_id text not null references plans,
      status text not null,
      discount_code text,
      trial_ends_at timestamptz,
      current_period_ends_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (store_id, subscription_id))`,
    'create index subscriptions_by_discount on subscriptions (discount_code) where discount_code is not null',
    `create table subscription_asks (
      store_id uuid primary key references stores on delete cascade,
      plan_id text not null references plans,
      discount_code text,
      asked_at timestamptz not null,
      confirmation_url text)`,
    `create table leads (
      store_id uuid not null references stores on delete cascade,
      lead_id uuid not null,
      first_name text not null default '',
      last_name text not null default '',
      email text,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (store_id, lead_id))`,
    `create table uninstalls (
      store_id uuid not null references stores on delete cascade,
      uninstall_id text not null,
      category text,
      reason text,
      requested_at timestamptz not null,
      finished_at timestamptz,
      kept jsonb not null,
      primary key (store_id, uninstall_id))`,
  ],
}
