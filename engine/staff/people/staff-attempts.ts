import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { HttpProblem } from '../../../domain/problem.ts'
import { linkMinutes } from '../../../domain/staff/staff-user.ts'
import { minute } from '../../../domain/time-units.ts'
import type { Db } from '../../db/connection.ts'

/**
 * How often something may be tried within a span. Counted for any address that is given, whether it
 * is a member's or not.
 */
const limits = {
  // The span is as long as a link is valid. So if a stranger asks for links in a member's name, the
  // member still has a valid one in their mailbox.
  link: { most: 5, span: linkMinutes * minute },
} as const
export type Attempt = keyof typeof limits

export type StaffAttempts = {
  /**
   * Counts one more attempt, before its result is known. Throws a 429 that says how long to wait.
   */
  count: (attempt: Attempt, email: string) => Promise<void>
}

/**
 * Counts attempts by account in the database, so that neither a restart nor a second process allows
 * more.
 */
export function staffAttempts(db: Db, clock: () => Date): StaffAttempts {
  return {
    count: async (attempt, email) => {
      const { most, span } = limits[attempt]
      const now = clock(),
        until = new Date(now.getTime() + span)
      await db.kysely.deleteFrom('staff_attempts').where('until', '<=', now).execute()
      const row = await db.kysely
        .insertInto('staff_attempts')
        .values({ key: keyOf(attempt, email), count: 1, until })
        .onConflict(oc =>
          oc.column('key').doUpdateSet({ count: sql<number>`staff_attempts.count + 1` }),
        )
        .returning(['count', 'until'])
        .executeTakeFirstOrThrow()
      if (row.count <= most) return
      const minutes = Math.max(1, Math.ceil((row.until.getTime() - now.getTime()) / minute))
      throw new HttpProblem(
        429,
        `That was tried too often for this account. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
      )
    },
  }
}

/** A hash, because text that strangers type must not be stored. */
const keyOf = (attempt: Attempt, email: string): string =>
  `${attempt} ${createHash('sha256').update(email).digest('base64url')}`
