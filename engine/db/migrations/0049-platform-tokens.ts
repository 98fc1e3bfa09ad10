import type { Migration } from '../migrate.ts'

/**
 * Tokens that platforms issue to us for calls about a shop, which sign-in tokens were used, and who
 * is behind a session, which lasts at most a day.
 */
export const platformTokens: Migration = {
  name: '0049-platform-tokens',
  statements: [
    // Both tokens are sealed (session/seal.ts). A row without tokens only carries the lease of the
    // process that asks for the first ones. The lease's times are those of the database's clock.
    `create table platform_tokens (
      store_id uuid primary key references stores on delete cascade,
      access_token bytea, access_expires_at timestamptz,
      refresh_token bytea, refresh_expires_at timestamptz,
      version int not null default 0,
      needs_sign_in_at timestamptz, is_removed boolean not null default false,
      lease_id uuid, leased_until timestamptz not null default '-infinity',
      updated_at timestamptz not null)`,
    `create table used_id_tokens (
      platform text not null, token_hash text not null, expires_at timestamptz not null,
      primary key (platform, token_hash))`,
    'create index used_id_tokens_expires_at on used_id_tokens (expires_at)',
    'alter table refresh_tokens add column user_id text, add column session_ends_at timestamptz',
    // Nobody is signed out by the upgrade, but older sessions end within a day as well.
    `update refresh_tokens set session_ends_at = now() + interval '24 hours',
      expires_at = least(expires_at, now() + interval '24 hours')`,
  ],
}
