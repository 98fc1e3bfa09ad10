import type { Migration } from '../migrate.ts'

/**
 * The number of requests that the API answered in each hour, by duration (api-hours.ts), and how
 * many of them failed.
 * There is one row for each bucket, so that several processes can add to it.
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
