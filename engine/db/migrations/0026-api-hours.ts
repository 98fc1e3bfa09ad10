import type { Migration } from '../migrate.ts'

/**
 * How many requests the API answered in each hour, by how long they took (api-hours.ts), and how many of them failed. A
 * row for each bucket, so that several processes may add to it.
 */
export const apiHours: Migration = {
  name: '0026-api-hours',
  statements: [
    `create table api_hours (
      hour timestamptz not null,
      bucket smallint not null,
      requests bigint not null,
      errors bigint not null,
      primary key (hour, bucket))`,
  ],
}
