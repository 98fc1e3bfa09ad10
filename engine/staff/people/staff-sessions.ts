import { randomBytes } from 'node:crypto'
import type { Kysely, Selectable } from 'kysely'
import type { StaffUser } from '../../../domain/staff-calls/users.ts'
import { hashOf } from '../../session/auth-tokens.ts'
import type { Db } from '../../db/connection.ts'
import type { Schema } from '../../db/schema.ts'
import type { Unfinished } from '../../../domain/staff/second-factor.ts'
import { minute } from '../../../domain/time-units.ts'
import type { StaffSessionsTable, StaffUsersTable } from '../../db/staff-schema.ts'
import type { StaffCaller } from '../../http/routes.ts'
import type { StaffPlace } from './staff-place.ts'

/** Milliseconds without a call after which a session ends, and the longest life of a session. */
export const staffIdle = 60 * minute,
  staffLife = 12 * 60 * minute
/** Milliseconds that a sign-in may stay unfinished. */
const unfinishedLife = 10 * minute
/** `seen_at` is not written more often than this. Milliseconds. */
const noticedEvery = minute

export type StaffSessions = {
  /** Starts a session with a new token of 256 random bits. Only its hash is stored. */
  start: (
    on: Kysely<Schema>,
    userId: string,
    place: StaffPlace,
    needs?: Unfinished | null,
  ) => Promise<{ token: string; expiresAt: Date }>
  /**
   * The caller of a token; null when the token is unknown or expired, or when its member is
   * disabled.
   */
  read: (token: string) => Promise<StaffCaller | null>
  /** A member's complete and valid sessions, newest first. */
  of: (userId: string) => Promise<Selectable<StaffSessionsTable>[]>
  /** Ends the session with the id that `read` returns. */
  end: (session: string) => Promise<void>
}

export function staffSessions(db: Db, clock: () => Date): StaffSessions {
  return {
    start: async (on, userId, place, needs = null) => {
      const now = clock(),
        expiresAt = new Date(now.getTime() + (needs ? unfinishedLife : staffLife))
      const token = `staff-${randomBytes(32).toString('base64url')}`
      await on
        .deleteFrom('staff_sessions')
        .where(eb =>
          eb.or([eb('expires_at', '<=', now), eb('seen_at', '<=', before(now, staffIdle))]),
        )
        .execute()
      await on
        .insertInto('staff_sessions')
        .values({
          token_hash: hashOf(token),
          user_id: userId,
          seen_at: now,
          started_at: now,
          expires_at: expiresAt,
          needs,
          ...place,
        })
        .execute()
      return { token, expiresAt }
    },
    read: async token => {
      const now = clock(),
        session = hashOf(token)
      const row = await db.kysely
        .selectFrom('staff_sessions as s')
        .innerJoin('staff_users as u', 'u.user_id', 's.user_id')
        .selectAll('u')
        .select(['s.seen_at', 's.needs'])
        .where('s.token_hash', '=', session)
        .where('s.expires_at', '>', now)
        .where('s.seen_at', '>', before(now, staffIdle))
        .where('u.disabled', '=', false)
        .executeTakeFirst()
      if (!row) return null
      if (row.seen_at <= before(now, noticedEvery))
        await db.kysely
          .updateTable('staff_sessions')
          .set({ seen_at: now })
          .where('token_hash', '=', session)
          .execute()
      return { ...staffUserOf(row), session, needs: row.needs }
    },
    of: userId => {
      const now = clock()
      return db.kysely
        .selectFrom('staff_sessions')
        .selectAll()
        .where('user_id', '=', userId)
        .where('needs', 'is', null)
        .where('expires_at', '>', now)
        .where('seen_at', '>', before(now, staffIdle))
        .orderBy('started_at', 'desc')
        .execute()
    },
    end: async session => {
      await db.kysely.deleteFrom('staff_sessions').where('token_hash', '=', session).execute()
    },
  }
}

/** Ends every session of a member of staff. Returns how many there were. */
export async function endStaffSessions(on: Kysely<Schema>, userId: string): Promise<number> {
  const { numDeletedRows } = await on
    .deleteFrom('staff_sessions')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

export const staffUserOf = (row: Selectable<StaffUsersTable>): StaffUser => ({
  id: row.user_id,
  email: row.email,
  name: row.name,
  disabled: row.disabled,
  invited: row.password_hash === null,
  secondFactor: row.totp_secret !== null,
  createdAt: row.created_at.toISOString(),
  lastSignInAt: row.last_sign_in_at?.toISOString() ?? null,
})

const before = (now: Date, milliseconds: number) => new Date(now.getTime() - milliseconds)
