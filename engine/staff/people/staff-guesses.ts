import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { HttpProblem } from '../../../domain/problem.ts'
import {
  freeGuesses,
  type GuessCount,
  guessesKept,
  waitAfter,
  waitWords,
} from '../../../domain/staff/staff-guess.ts'
import type { Db } from '../../db/connection.ts'

/** Whose guesses are counted together. */
export type Guesser = { count: GuessCount; of: string }
export type StaffGuesses = {
  /** Counts one more try, before it is known how it ends. Throws a 429 that says how long to wait. */
  count: (guessers: readonly Guesser[]) => Promise<void>
  /** It was no guess: an account or device begins again, and of a network this one try is taken back. */
  forget: (guessers: readonly Guesser[]) => Promise<void>
}

/** Guesses at passwords and codes, in the database: neither a restart nor a second process lets anybody try sooner. */
export function staffGuesses(db: Db, clock: () => Date): StaffGuesses {
  return {
    count: guessers =>
      db.kysely.transaction().execute(async trx => {
        const now = clock()
        await trx.deleteFrom('staff_attempts').where('until', '<=', now).execute()
        // In one order, so that two tries never wait for each other; one at a time, so that none is let through beside another.
        const keys = guessers
          .map(guesser => ({ ...guesser, key: keyOf(guesser) }))
          .sort((a, b) => (a.key < b.key ? -1 : 1))
        for (const { key } of keys)
          await sql`select pg_advisory_xact_lock(hashtext(${key}))`.execute(trx)
        const rows = await trx
          .selectFrom('staff_attempts')
          .selectAll()
          .where(
            'key',
            'in',
            keys.map(({ key }) => key),
          )
          .execute()
        const wait =
          Math.max(
            ...rows.map(({ free_at }) => (free_at ? free_at.getTime() - now.getTime() : 0)),
            0,
          ) / 1000
        if (wait > 0)
          throw new HttpProblem(429, `Too many wrong tries. Try again in ${waitWords(wait)}.`)
        for (const { key, count } of keys) {
          const tries = (rows.find(row => row.key === key)?.count ?? 0) + 1
          const row = {
            count: tries,
            until: after(now, guessesKept),
            free_at: after(now, waitAfter(tries, freeGuesses[count])),
          }
          await trx
            .insertInto('staff_attempts')
            .values({ key, ...row })
            .onConflict(oc => oc.column('key').doUpdateSet(row))
            .execute()
        }
      }),
    forget: async guessers => {
      for (const guesser of guessers) {
        const key = keyOf(guesser)
        if (guesser.count !== 'network')
          await db.kysely.deleteFrom('staff_attempts').where('key', '=', key).execute()
        else
          await db.kysely
            .updateTable('staff_attempts')
            .set({ count: sql<number>`greatest(count - 1, 0)`, free_at: null })
            .where('key', '=', key)
            .execute()
      }
    },
  }
}

const after = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000)
/** What strangers type is not kept. */
const keyOf = ({ count, of }: Guesser): string =>
  `guess ${count} ${createHash('sha256').update(of).digest('base64url')}`
