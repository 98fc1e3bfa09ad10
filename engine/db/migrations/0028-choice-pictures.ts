import type { Migration } from '../migrate.ts'

/**
 * Small pictures of the shop's themes, templates and pages, for lists to choose from. A job draws
 * the waiting ones.
 * Also stores whether a theme has the same files as the live theme.
 */
export const choicePictures: Migration = {
  name: '0028-choice-pictures',
  statements: [
    `create table choice_pictures (
      store_id uuid not null references stores on delete cascade,
      choice text not null,
      version text not null,
      image bytea,
      taken_at timestamptz,
      drawn_version text,
      problem text,
      tried_at timestamptz,
      is_waiting boolean not null,
      asked_at timestamptz not null,
      primary key (store_id, choice))`,
    "alter table theme_checks add column live_version text not null default '', add column is_same_as_live boolean not null default false",
    'create index choice_pictures_asked on choice_pictures (asked_at)',
  ],
}
