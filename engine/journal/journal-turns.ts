import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { StoreBusy } from '../db/busy.ts'
import type { Db } from '../db/connection.ts'
import { timeLeft } from '../http/vendor-calls.ts'

/** Runs work on a store's shop when no other work of the journal runs on it, in any process. */
export type InTurn = <T>(storeId: string, act: () => Promise<T>) => Promise<T>

/**
 * Milliseconds: how long a process that does not renew its turn keeps it, between renewals, between
 * two looks at another process's turn, and the longest wait for it (a person waits for less).
 */
export type TurnTiming = { lease: number; renew: number; look: number; longest: number }
const usual: TurnTiming = { lease: 15_000, renew: 5_000, look: 100, longest: 60_000 }
/** What a call of the API keeps of its time for the work itself, in milliseconds. */
const forTheWork = 2_000

/**
 * Runs the changes and restores of a store one after the other, because a restore must not meet a
 * change that is half made. Within the process they queue. Among processes the one with a row in
 * `journal_turns` has the turn; on PGlite there is only one process. Throws StoreBusy when another
 * process keeps its turn for too long.
 */
export function journalTurns(
  { kysely, pglite }: Pick<Db, 'kysely' | 'pglite'>,
  timing: TurnTiming = usual,
): InTurn {
  const underWay = new Map<string, Promise<unknown>>()
  const ahead = sql<Date>`clock_timestamp() + make_interval(secs => ${timing.lease / 1000})`

  async function take(storeId: string, holder: string): Promise<void> {
    const until = performance.now() + Math.min(timing.longest, Math.max(0, timeLeft() - forTheWork))
    for (;;) {
      const { rows } = await sql`
        insert into journal_turns as t (store_id, holder, ends_at) values (${storeId}, ${holder}, ${ahead})
        on conflict (store_id) do update set holder = excluded.holder, ends_at = excluded.ends_at
          where t.ends_at < clock_timestamp()
        returning 1`.execute(kysely)
      if (rows.length > 0) return
      if (performance.now() >= until) throw new StoreBusy()
      await setTimeout(timing.look)
    }
  }

  async function held<T>(storeId: string, act: () => Promise<T>): Promise<T> {
    if (pglite) return act()
    const holder = randomUUID()
    await take(storeId, holder)
    const own = kysely
      .updateTable('journal_turns')
      .set({ ends_at: ahead })
      .where('store_id', '=', storeId)
      .where('holder', '=', holder)
    // When the database does not answer, the next renewal tries again.
    const renewal = setInterval(() => void own.execute().catch(() => {}), timing.renew)
    try {
      return await act()
    } finally {
      clearInterval(renewal)
      // If this fails, the turn ends by itself.
      await kysely
        .deleteFrom('journal_turns')
        .where('store_id', '=', storeId)
        .where('holder', '=', holder)
        .execute()
        .catch(() => {})
    }
  }

  return (storeId, act) => {
    const next = () => held(storeId, act)
    const turn = (underWay.get(storeId) ?? Promise.resolve()).then(next, next)
    underWay.set(storeId, turn)
    const clear = () => {
      if (underWay.get(storeId) === turn) underWay.delete(storeId)
    }
    turn.then(clear, clear)
    return turn
  }
}
