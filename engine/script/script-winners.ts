import { type Kysely, sql } from 'kysely'
import type { ScriptWinner } from '../../domain/script/script-winner.ts'
import type { Redirect } from '../../domain/tests/redirect-url.ts'
import type { Schema } from '../db/schema.ts'
import type { Reader, Trx } from '../db/types.ts'

const isScripted = sql<boolean>`(kind = 'PageElement' or sends_by_script)`

const winners = (kysely: Kysely<Schema>, storeId: string) =>
  kysely
    .selectFrom('tests')
    .where('store_id', '=', storeId)
    .where(isScripted)
    .where('applied_arm', '=', 'variant')

/**
 * Applied winners that are in no file of the shop: our script shows them, or sends their visitors
 * on, unless an uninstall has switched them off (`isOn`).
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
    .where(isScripted)
    .where('applied_arm', '=', 'variant')
    .where('winner_off_at', 'is', null)
    .execute()
}

type SentRedirect = Redirect & { id: string; title: string; isOn: boolean }
/**
 * The applied redirects on which our script sends visitors, the newest first. Those that an
 * uninstall has switched off are among them, because they can be switched on again.
 */
export async function sentRedirects(reader: Reader, storeId: string): Promise<SentRedirect[]> {
  const rows = await reader
    .selectFrom('tests')
    .select([
      'test_id as id',
      'title',
      'control_url as control',
      'redirect_url as variant',
      'winner_off_at',
    ])
    .where('store_id', '=', storeId)
    .where('sends_by_script', '=', true)
    .where('applied_arm', '=', 'variant')
    .orderBy('applied_at', 'desc')
    .execute()
  return rows.map(({ winner_off_at, ...row }) => ({ ...row, isOn: winner_off_at === null }))
}

/** Those that send visitors on now. */
export const sentNow = async (reader: Reader, storeId: string): Promise<SentRedirect[]> =>
  (await sentRedirects(reader, storeId)).filter(({ isOn }) => isOn)
