import { randomUUID } from 'node:crypto'
import { type Kysely, type Selectable, sql, type SqlBool } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import type { Db } from '../db/connection.ts'
import type { JournalTable } from '../db/lifecycle-schema.ts'
import type { Schema } from '../db/schema.ts'
import type { Trx } from '../db/types.ts'
import { requireInstalled } from '../db/installed.ts'
import { claimDraft } from './draft-claims.ts'
import type { For } from './journal-contract.ts'
import { type BytesOf, isRefusal, journalKinds, type Place } from './journal-kinds.ts'
import type { Platform } from '../platform/adapter.ts'

type Row = Selectable<JournalTable>
/** A place in the shop and the value to write there; null removes what is there. */
export type Change = { place: Place; value: string | null }
/** A change of a place that holds something else now. */
export type Made = Change & { before: string | null; what: string }

/** The shop that a store's changes go to. */
export const shopOf = async (kysely: Kysely<Schema>, storeId: string) =>
  (
    await kysely
      .selectFrom('stores')
      .select('shop')
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
  ).shop

/**
 * Returns a function that reads a stored picture of the store by its name; null when there is none.
 */
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

/** The parts of making a change: look, record, write. */
export type ChangeParts = ReturnType<typeof changeParts>

export function changeParts({
  db: { kysely },
  platform,
  clock,
}: {
  db: Db
  platform: Platform
  clock: () => Date
}) {
  /**
   * The changes of places that hold something else. If the shop holds the value already, we did not
   * write it and must not undo it. Throws HttpProblem 404 when a place is gone, and 409 when the
   * shop holds something else than `from`.
   */
  async function differing(
    shop: string,
    kind: Row['kind'],
    changes: readonly Change[],
    from?: string,
  ): Promise<Made[]> {
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
    return changes.flatMap((each, i) =>
      found[i]!.value === each.value
        ? []
        : [{ ...each, before: found[i]!.value!, what: found[i]!.what }],
    )
  }

  /** Records one batch. Throws HttpProblem 409 when the app or the draft is gone. */
  async function record(
    { storeId, testId, isDraft }: For,
    kind: Row['kind'],
    made: readonly Made[],
    planId: string | null = null,
    also: (trx: Trx) => Promise<void> = async () => {},
  ): Promise<string> {
    const batch_id = randomUUID()
    await kysely.transaction().execute(async trx => {
      // After an uninstall has undone the journal, nothing would undo this change.
      await requireInstalled(trx, storeId)
      if (isDraft && testId !== null) await claimDraft(trx, storeId, testId)
      await also(trx)
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
            plan_id: planId,
          })),
        )
        .execute()
    })
    return batch_id
  }

  const write = (storeId: string, shop: string, kind: Row['kind'], made: Change[]) =>
    journalKinds[kind].write(platform, shop, made, bytesOf(kysely, storeId))

  /**
   * Whether nothing of a change that failed is in the shop. False when the shop does not say:
   * undoing looks again.
   */
  async function isAsBefore(
    kind: Row['kind'],
    shop: string,
    made: readonly { place: Place; before: string | null }[],
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

  /**
   * Another process may have run `restore` after our row and before our change. It found nothing to
   * undo and marked the row as undone.
   */
  async function setMade(storeId: string, batchId: string): Promise<void> {
    await kysely
      .updateTable('journal')
      .set({ state: 'open' })
      .where('store_id', '=', storeId)
      .where('batch_id', '=', batchId)
      .where('state', 'in', ['open', 'undone'])
      .execute()
  }

  async function forget(storeId: string, batchId: string): Promise<void> {
    await kysely
      .deleteFrom('journal')
      .where('store_id', '=', storeId)
      .where('batch_id', '=', batchId)
      .where('state', 'in', ['open', 'undone'])
      .execute()
  }

  /** Records and makes changes that the shop makes wholly or not at all. */
  async function makeOnce(
    of: For,
    shop: string,
    kind: Row['kind'],
    made: readonly Made[],
  ): Promise<void> {
    const batchId = await record(of, kind, made)
    try {
      await write(of.storeId, shop, kind, [...made])
    } catch (error) {
      // A refused change never reached the shop. Delete its rows, because their values may be long.
      if (isRefusal(error) && (await isAsBefore(kind, shop, made)))
        await forget(of.storeId, batchId)
      throw error
    }
    await setMade(of.storeId, batchId)
  }

  /**
   * Merges the last two changes of a place if the second began where the first ended. So an undo is
   * a single step, and the journal does not grow with every word that the merchant types.
   */
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

  return { differing, record, write, isAsBefore, setMade, forget, makeOnce, fold }
}
