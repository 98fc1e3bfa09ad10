import type { Kysely } from 'kysely'
import type { ScriptWinner } from '../../domain/script/script-winner.ts'
import type { Schema } from '../db/schema.ts'
import type { Trx } from '../db/types.ts'

const winners = (kysely: Kysely<Schema>, storeId: string) =>
  kysely
    .selectFrom('tests')
    .where('store_id', '=', storeId)
    .where('kind', '=', 'PageElement')
    .where('applied_arm', '=', 'variant')

/**
 * Applied winners that are in no file of the shop: our script shows them, unless an uninstall has
 * switched them off (`isOn`).
 */
export async function scriptWinners(
  kysely: Kysely<Schema>,
  storeId: string,
): Promise<ScriptWinner[]> {
  const rows = await winners(kysely, storeId)
    .select(['test_id', 'title', 'winner_off_at'])
    .orderBy('applied_at')
    .execute()
  return rows.map(row => ({ id: row.test_id, title: row.title, isOn: row.winner_off_at === null }))
}

/**
 * Titles of the winners that the script showed until an uninstall that was requested at `since` and
 * done by `until`.
 */
export async function endedWinners(
  kysely: Kysely<Schema>,
  storeId: string,
  since: Date,
  until: Date,
): Promise<string[]> {
  const rows = await winners(kysely, storeId)
    .select('title')
    .where('applied_at', '<=', until)
    .where(eb => eb.or([eb('winner_off_at', 'is', null), eb('winner_off_at', '>=', since)]))
    .orderBy('applied_at')
    .execute()
  return rows.map(({ title }) => title)
}

/** Switches these winners off, because the script that shows them is removed. */
export async function switchWinnersOff(trx: Trx, storeId: string, now: Date): Promise<void> {
  await trx
    .updateTable('tests')
    .set({ winner_off_at: now })
    .where('store_id', '=', storeId)
    .where('kind', '=', 'PageElement')
    .where('applied_arm', '=', 'variant')
    .where('winner_off_at', 'is', null)
    .execute()
}
