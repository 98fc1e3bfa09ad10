import type { Migration } from '../migrate.ts'

/**
 * Links that download one file once. Only the hash of a link is stored, and the access token that
 * it stands for is sealed with a key that only the link holds.
 */
export const downloadLinks: Migration = {
  name: '0050-download-links',
  statements: [
    `create table download_links (
      store_id uuid not null references stores on delete cascade,
      link_hash text not null,
      path text not null,
      sealed_token bytea not null,
      expires_at timestamptz not null,
      primary key (store_id, link_hash))`,
  ],
}
