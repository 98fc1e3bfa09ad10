import type { Migration } from '../migrate.ts'

export const brand: Migration = {
  name: '0009-brand',
  statements: [
    `create table brand_styles (
      store_id uuid primary key references stores on delete cascade,
      brand_style_id uuid not null,
      style jsonb not null,
      fonts jsonb not null,
      updated_at timestamptz not null)`,
    `create table screenshots (
      store_id uuid not null references stores on delete cascade,
      hypothesis_id uuid not null,
      device text not null,
      image bytea not null,
      taken_at timestamptz not null,
      primary key (store_id, hypothesis_id, device))`,
    `create table page_days (
      store_id uuid not null references stores on delete cascade,
      day date not null,
      scope text not null,
      name text not null,
      views int not null,
      visitors int not null,
      entries int not null,
      bounces int not null,
      exits int not null,
      adders int not null,
      primary key (store_id, day, scope, name))`,
    `create table page_days_built (
      store_id uuid not null references stores on delete cascade,
      day date not null,
      visitors int not null,
      month_visitors int,
      is_final boolean not null,
      built_at timestamptz not null,
      primary key (store_id, day))`,
    'alter table drafts add column lift_assist_id text',
  ],
}
