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
import type { Trx } from '../../db/types.ts'

/** The account, device or network whose guesses are counted together. */
export type Guesser = { count: GuessCount; of: string }
export type StaffGuesses = {
  /** Counts one more try, before its result is known. Throws a 429 that says how long to wait. */
  count: (guessers: readonly Guesser[]) => Promise<void>
  /**
   * Call this when the try was right. An account or device starts again from zero; for a network
   * only this try is subtracted.
   */
  forget: (guessers: readonly Guesser[]) => Promise<void>
}

/**
 * Counts guesses of passwords and codes in the database, so that neither a restart nor a second
 * process allows an earlier try.
 */
export function staffGuesses(db: Db, clock: () => Date): StaffGuesses {
  return {
    count: guessers =>
      db.kysely.transaction().execute(async trx => {
        const now = clock()
        await trx.deleteFrom('staff_attempts').where('until', '<=', now).execute()
        // Lock the keys in sorted order, so that two tries cannot deadlock. Tries for a key run one
        // at a time, so that none passes while another is being counted.
        const keys = guessers
          .map(guesser => ({ ...guesser, key: keyOf(guesser) }))
          .sort((a, b) => (a.key < b.key ? -1 : 1))
        for (const { key } of keys) await lockCount(trx, key)
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
    // Under the same lock: a try that read the count before would otherwise store it again.
    forget: async guessers => {
      for (const guesser of guessers) {
        const key = keyOf(guesser)
        await db.kysely.transaction().execute(async trx => {
          await lockCount(trx, key)
          if (guesser.count !== 'network')
            await trx.deleteFrom('staff_attempts').where('key', '=', key).execute()
          else
            await trx
              .updateTable('staff_attempts')
              .set({ count: sql<number>`greatest(count - 1, 0)`, free_at: null })
              .where('key', '=', key)
              .execute()
        })
      }
    },
  }
}

/** Until the transaction ends, no other try of this guesser is counted or forgotten. */
const lockCount = (trx: Trx, key: string) =>
  sql`select pg_advisory_xact_lock(hashtext(${key}))`.execute(trx)
const after = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000)
/** A hash, because text that strangers type must not be stored. */
const keyOf = ({ count, of }: Guesser): string =>
  `guess ${count} ${createHash('sha256').update(of).digest('base64url')}`
