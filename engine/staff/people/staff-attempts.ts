import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { HttpProblem } from '../../../domain/problem.ts'
import { linkMinutes } from '../../../domain/staff/staff-user.ts'
import { minute } from '../../../domain/time-units.ts'
import type { Db } from '../../db/connection.ts'

/** How often a thing may be tried in a span of time. Counted for any address that is named, a member's or not. */
const limits = {
  // No longer than a link is good for: whoever asks for links in a member's name leaves one in their mailbox that works.
  link: { most: 5, span: linkMinutes * minute },
} as const
export type Attempt = keyof typeof limits

export type StaffAttempts = {
  /** Counts one more, before it is known how it ends. Throws a 429 that says how long to wait. */
  count: (attempt: Attempt, email: string) => Promise<void>
}

/** Attempts by account, in the database: neither a restart nor a second process lets anybody try more often. */
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

/** What strangers type is not kept. */
const keyOf = (attempt: Attempt, email: string): string =>
  `${attempt} ${createHash('sha256').update(email).digest('base64url')}`
