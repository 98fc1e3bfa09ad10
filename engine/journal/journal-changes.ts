import { randomUUID } from 'node:crypto'
import { type Kysely, type Selectable, sql, type SqlBool } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import type { Db } from '../db/connection.ts'
import type { JournalTable } from '../db/lifecycle-schema.ts'
import type { Schema } from '../db/schema.ts'
import { requireInstalled } from '../db/installed.ts'
import type { For } from './journal-contract.ts'
import { type BytesOf, isRefusal, journalKinds, type Place } from './journal-kinds.ts'
import type { Platform } from '../platform/adapter.ts'

type Row = Selectable<JournalTable>
/** A place in the shop, and what to write there; null takes it away. */
export type Change = { place: Place; value: string | null }

/** The shop that a store's changes go to. */
export const shopOf = async (kysely: Kysely<Schema>, storeId: string) =>
  (
    await kysely
      .selectFrom('stores')
      .select('shop')
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
  ).shop

/** Reads the store's pictures for those who write them into its shop. */
export const bytesOf =
  (kysely: Kysely<Schema>, storeId: string): BytesOf =>
  async name =>
    await kysely
      .selectFrom('pictures')
      .select(['type', 'body'])
      .where('store_id', '=', storeId)
      .where('name', '=', name)
      .executeTakeFirst()
      .then(row => (row ? { type: row.type, body: Buffer.from(row.body) } : null))

/** Writes changes down and then makes them in the shop. With `from`, only where the shop holds that. */
export function startChanges({
  db: { kysely },
  platform,
  clock,
}: {
  db: Db
  platform: Platform
  clock: () => Date
}) {
  async function change(
    { storeId, testId }: For,
    kind: Row['kind'],
    changes: Change[],
    from?: string,
  ): Promise<void> {
    if (changes.length === 0) return
    const shop = await shopOf(kysely, storeId)
    const found = await journalKinds[kind].look(
      platform,
      shop,
      changes.map(each => each.place),
    )
    const missing = found.find(each => each.value === undefined)
    if (missing) throw new HttpProblem(404, `${missing.what}: it is no longer in the shop.`)
    if (from !== undefined && found[0]!.value !== from)
      throw new HttpProblem(409, `${found[0]!.what}: it was changed in the shop meanwhile.`, [
        { field: 'version', message: 'It was changed in the shop meanwhile.' },
      ])
    // What stands there already is not our doing, and not to be undone.
    const made = changes.flatMap((each, i) =>
      found[i]!.value === each.value
        ? []
        : [{ ...each, before: found[i]!.value!, what: found[i]!.what }],
    )
    if (made.length === 0) return
    const batch_id = randomUUID()
    await kysely.transaction().execute(async trx => {
      // Behind the walk of uninstalling nobody would take it back.
      await requireInstalled(trx, storeId)
      await trx
        .insertInto('journal')
        .values(
          made.map(({ place, value, before, what }) => ({
            store_id: storeId,
            batch_id,
            test_id: testId,
            kind,
            place: JSON.stringify(place),
            what,
            before,
            after: value,
            state: 'open' as const,
            created_at: clock(),
          })),
        )
        .execute()
    })
    try {
      await journalKinds[kind].write(platform, shop, made, bytesOf(kysely, storeId))
    } catch (error) {
      // What the shop refused was never there: nothing of it is kept, which may be long.
      if (isRefusal(error) && (await isAsBefore(kind, shop, made)))
        await kysely
          .deleteFrom('journal')
          .where('store_id', '=', storeId)
          .where('batch_id', '=', batch_id)
          .where('state', 'in', ['open', 'undone'])
          .execute()
      throw error
    }
    // Another process's walk that came between row and change has found nothing to undo.
    await kysely
      .updateTable('journal')
      .set({ state: 'open' })
      .where('store_id', '=', storeId)
      .where('batch_id', '=', batch_id)
      .where('state', 'in', ['open', 'undone'])
      .execute()
    if (from !== undefined) await fold({ storeId, testId }, kind, changes[0]!.place)
  }

  /** Whether nothing of a change that failed is in the shop. False when the shop does not say: undoing looks again. */
  async function isAsBefore(
    kind: Row['kind'],
    shop: string,
    made: { place: Place; before: string | null }[],
  ): Promise<boolean> {
    try {
      const found = await journalKinds[kind].look(
        platform,
        shop,
        made.map(each => each.place),
      )
      return found.every(({ value }, i) => value === undefined || value === made[i]!.before)
    } catch {
      return false
    }
  }

  /** The last two changes of a place become one where the second continued from the first: undoing is a single step, and what is kept does not grow with every word typed. */
  async function fold({ storeId, testId }: For, kind: Row['kind'], place: Place): Promise<void> {
    await kysely.transaction().execute(async trx => {
      const [last, first] = await trx
        .selectFrom('journal')
        .select(['seq', 'before', 'after'])
        .where('store_id', '=', storeId)
        .where('test_id', 'is not distinct from', testId)
        .where('kind', '=', kind)
        .where(sql<SqlBool>`place = ${JSON.stringify(place)}::jsonb`)
        .where('state', '=', 'open')
        .orderBy('seq', 'desc')
        .limit(2)
        .forUpdate()
        .execute()
      if (!last || !first || first.after !== last.before) return
      await trx
        .deleteFrom('journal')
        .where('store_id', '=', storeId)
        .where('seq', '=', last.seq)
        .execute()
      await trx
        .updateTable('journal')
        .set({ after: last.after })
        .where('store_id', '=', storeId)
        .where('seq', '=', first.seq)
        .execute()
    })
  }

  return change
}
