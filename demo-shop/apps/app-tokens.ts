import { createHash, randomBytes } from 'node:crypto'
import { day } from '../../domain/time-units.ts'
import { inTransaction, type Database } from '../database.ts'

/** Seconds that an access token and a refresh token are valid. */
export type TokenLife = { access: number; refresh: number }
export const usualTokenLife: TokenLife = { access: 3_600, refresh: 90 * 86_400 }
/** After a refresh, the old refresh token is accepted again for at most this long. */
const lostFor = 30 * day

/** An access token and the refresh token that replaces both. */
export type TokenPair = {
  access_token: string
  expires_in: number
  refresh_token: string
  refresh_token_expires_in: number
}
/**
 * The app's tokens for calls about this shop. They outlast the merchant's visit, expire, and are
 * replaced in pairs. Only hashes are stored.
 */
export type AppTokens = {
  issue: () => TokenPair
  /**
   * Replaces a pair. The old refresh token is accepted again until the new access token is used, so
   * that an app that lost the answer can ask again; then the pair of the lost answer ends. Null
   * when the token is unknown or has ended.
   */
  refresh: (refreshToken: string) => TokenPair | null
  /** Whether this access token is valid now. */
  accept: (accessToken: string) => boolean
  /** Ends all tokens. */
  end: () => void
}

/** Where the tokens of an app are stored, and how they begin. */
export type TokenKind = { table: string; access: string; refresh: string }
const demoTokens: TokenKind = {
  table: 'app_tokens',
  access: 'demo_access_',
  refresh: 'demo_refresh_',
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url')

export function openAppTokens(
  db: Database,
  clock: () => Date,
  { access, refresh }: TokenLife = usualTokenLife,
  knownToken?: string,
  { table, ...beginning }: TokenKind = demoTokens,
): AppTokens {
  db.exec(`
    create table if not exists ${table} (
      pair integer primary key autoincrement, access text not null unique, access_until integer not null,
      refresh text not null unique, refresh_until integer not null, used integer not null default 0, parent integer) strict;
    create index if not exists ${table}_parent on ${table} (parent)`)
  const insert = db.prepare(
    `insert into ${table} (access, access_until, refresh, refresh_until, parent) values (?, ?, ?, ?, ?)`,
  )
  const byRefresh = db.prepare(
    `select pair, refresh_until from ${table} where refresh = ? and refresh_until > ?`,
  )
  const byAccess = db.prepare(
    `select pair, used, parent from ${table} where access = ? and access_until > ?`,
  )
  const use = db.prepare(`update ${table} set used = 1 where pair = ?`)
  const shorten = db.prepare(`update ${table} set refresh_until = ? where pair = ?`)
  const dropLost = db.prepare(`delete from ${table} where parent = ? and used = 0`)
  const dropOld = db.prepare(`delete from ${table} where access_until <= ? and refresh_until <= ?`)
  const dropAll = db.prepare(`delete from ${table}`)

  const issue = (parent: number | null): TokenPair => {
    const now = clock().getTime()
    const pair = {
      access_token: `${beginning.access}${randomBytes(24).toString('base64url')}`,
      expires_in: access,
      refresh_token: `${beginning.refresh}${randomBytes(24).toString('base64url')}`,
      refresh_token_expires_in: refresh,
    }
    dropOld.run(now, now)
    insert.run(
      hashOf(pair.access_token),
      now + access * 1_000,
      hashOf(pair.refresh_token),
      now + refresh * 1_000,
      parent,
    )
    return pair
  }
  return {
    issue: () => inTransaction(db, () => issue(null)),
    refresh: refreshToken =>
      inTransaction(db, () => {
        const now = clock().getTime()
        const old = byRefresh.get(hashOf(refreshToken), now) as
          | { pair: number; refresh_until: number }
          | undefined
        if (!old) return null
        dropLost.run(old.pair)
        shorten.run(Math.min(old.refresh_until, now + lostFor), old.pair)
        return issue(old.pair)
      }),
    accept: accessToken => {
      if (knownToken !== undefined && accessToken === knownToken) return true
      const found = byAccess.get(hashOf(accessToken), clock().getTime()) as
        | { pair: number; used: number; parent: number | null }
        | undefined
      if (!found) return false
      if (found.used === 0)
        inTransaction(db, () => {
          use.run(found.pair)
          if (found.parent !== null) shorten.run(0, found.parent)
        })
      return true
    },
    end: () => void dropAll.run(),
  }
}
