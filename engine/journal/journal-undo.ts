import { type Selectable, sql, type SqlBool } from 'kysely'
import type { HttpProblem } from '../../domain/problem.ts'
import type { Db } from '../db/connection.ts'
import type { JournalTable } from '../db/lifecycle-schema.ts'
import { bytesOf, type Change, shopOf } from './journal-changes.ts'
import type { Journal, Kept } from './journal-contract.ts'
import { isRefusal, journalKinds } from './journal-kinds.ts'
import { partsOf } from './journal-steps.ts'
import { nextOwner } from './picture-owners.ts'
import type { Platform } from '../platform/adapter.ts'
import type { Reader } from '../db/types.ts'

type Row = Selectable<JournalTable>
type Outcome = { state: Row['state']; why?: Kept['why']; refusal?: string }

/** Undoes the changes in the journal, from the newest to the oldest. */
export function startUndo({ db: { kysely }, platform }: { db: Db; platform: Platform }) {
  async function restore(
    storeId: string,
    { testId, file, kind, plan, onStep, isWanted }: Parameters<Journal['restore']>[1],
  ): Promise<{ undone: number; kept: Kept[] }> {
    if (isWanted && !(await isWanted())) return { undone: 0, kept: [] }
    const shop = await shopOf(kysely, storeId)
    // Without the values: for a whole store they are all its templates, too much to hold in memory
    // at once.
    let wanted = kysely
      .selectFrom('journal')
      .select(['seq', 'batch_id', 'state', 'what'])
      .where('store_id', '=', storeId)
      .where('state', '!=', 'undone')
    if (testId !== undefined) wanted = wanted.where('test_id', '=', testId)
    if (file !== undefined)
      wanted = wanted.where('kind', '=', 'file').where(sql<SqlBool>`place->>1 = ${file}`)
    if (kind !== undefined) wanted = wanted.where('kind', '=', kind)
    if (plan !== undefined) wanted = wanted.where('plan_id', '=', plan)
    // What is undone here must not be made again.
    else if (file === undefined && kind === undefined) await endPlans(storeId, testId)
    const rows = await wanted.orderBy('seq', 'desc').execute()
    const kept: Kept[] = rows
      .filter(row => row.state === 'kept')
      .map(({ what }) => ({ what, why: 'applied' }))
    const open = rows.filter(row => row.state !== 'kept')
    let undone = 0,
      done = 0
    for (const seqs of batchesOf(open).flatMap(batch => partsOf('assignment', batch))) {
      const batch = await kysely
        .selectFrom('journal')
        .selectAll()
        .where('store_id', '=', storeId)
        .where('seq', 'in', seqs)
        .where('state', '!=', 'undone')
        .orderBy('seq', 'desc')
        .execute()
      if (batch.length === 0) continue
      const outcomes = await undo(shop, batch, testId === undefined && plan === undefined)
      for (const [i, row] of batch.entries()) {
        const { state, why, refusal = null } = outcomes[i]!
        if (why) kept.push({ what: row.what, why })
        if (state === 'undone') undone++
        if (state !== row.state || refusal !== row.refusal)
          await kysely
            .updateTable('journal')
            .set({ state, refusal })
            .where('store_id', '=', storeId)
            .where('seq', '=', row.seq)
            .execute()
      }
      done += batch.length
      await onStep?.(done / open.length, batch[0]!.what)
    }
    return { undone, kept }
  }

  /**
   * Undoes one batch, as far as the shop still holds what we wrote. Returns one outcome for each
   * row.
   */
  async function undo(shop: string, batch: Row[], isLeaving: boolean): Promise<Outcome[]> {
    const { look, isInUse, isTwoSteps } = journalKinds[batch[0]!.kind]
    const found = await look(
      platform,
      shop,
      batch.map(row => row.place),
    )
    const outcomes: Outcome[] = []
    const changes: (Change & { at: number })[] = []
    for (const [i, row] of batch.entries()) {
      const { value } = found[i]!
      outcomes.push({ state: 'undone' })
      // Another test has changed this place after us. Its entry takes over our old value, so its
      // undo restores what was there before us.
      if (await handOn(row)) continue
      const keeper = row.kind === 'picture' && (await handPicture(row, isLeaving))
      if (keeper) {
        outcomes[i] = { state: keeper }
        continue
      }
      if (value === row.before) continue
      const isHalfMade = isTwoSteps && value === null
      if (value === undefined) outcomes[i] = { state: 'left', why: 'gone' }
      else if (isHalfMade) changes.push({ place: row.place, value: row.before, at: i })
      else if (
        value !== row.after ||
        (row.before === null && (await isInUse?.(platform, shop, row.place)))
      )
        outcomes[i] = { state: 'left', why: value === null ? 'gone' : 'edited' }
      else changes.push({ place: row.place, value: row.before, at: i })
    }
    keepCopies(batch, outcomes, changes)
    if (changes.length === 0) return outcomes
    for (const { at, refusal } of await putBack(shop, batch, changes))
      outcomes[at] =
        refusal.status === 404 || refusal.status === 410
          ? { state: 'left', why: 'gone' }
          : { state: 'left', why: 'refused', refusal: refusal.message }
    return outcomes
  }

  /**
   * Writes the values from before. When the shop refuses that, writes each by itself, so that one
   * refusal does not keep the others from being undone. Returns those that it refuses.
   */
  async function putBack(
    shop: string,
    batch: readonly Row[],
    changes: readonly (Change & { at: number })[],
  ): Promise<{ at: number; refusal: HttpProblem }[]> {
    const { look, write } = journalKinds[batch[0]!.kind]
    const bytes = bytesOf(kysely, batch[0]!.store_id)
    const refused: { at: number; refusal: HttpProblem }[] = []
    for (const part of partsOf(batch[0]!.kind, changes))
      try {
        await write(platform, shop, part, bytes)
      } catch (error) {
        if (!isRefusal(error)) throw error
        if (part.length === 1) {
          refused.push({ at: part[0]!.at, refusal: error })
          continue
        }
        // The shop may have made a part of it.
        const found = await look(
          platform,
          shop,
          part.map(each => each.place),
        )
        for (const [i, change] of part.entries()) {
          if (found[i]!.value === change.value) continue
          try {
            await write(platform, shop, [change], bytes)
          } catch (error) {
            if (!isRefusal(error)) throw error
            refused.push({ at: change.at, refusal: error })
          }
        }
      }
    return refused
  }

  /** Ends the plans of a test, or of the whole store. */
  async function endPlans(storeId: string, testId: string | undefined): Promise<void> {
    await kysely
      .deleteFrom('journal_plans')
      .where('store_id', '=', storeId)
      .$if(testId !== undefined, query => query.where('test_id', '=', testId!))
      .execute()
  }

  async function handOn(row: Row): Promise<boolean> {
    const later = await kysely
      .selectFrom('journal')
      .select('seq')
      .where('store_id', '=', row.store_id)
      .where('seq', '>', row.seq)
      .where('state', '!=', 'undone')
      .where('kind', '=', row.kind)
      .where(sql<SqlBool>`md5(place::text) = md5(${JSON.stringify(row.place)}::jsonb::text)`)
      .where('before', 'is not distinct from', row.after)
      .where('test_id', 'is distinct from', row.test_id)
      .orderBy('seq')
      .limit(1)
      .executeTakeFirst()
    if (!later) return false
    await kysely
      .updateTable('journal')
      .set({ before: row.before })
      .where('store_id', '=', row.store_id)
      .where('seq', '=', later.seq)
      .execute()
    return true
  }

  /**
   * Gives a picture to another draft or test that shows it. Returns the entry's new state; null
   * when no other draft or test shows the picture.
   */
  async function handPicture(row: Row, isLeaving: boolean): Promise<'open' | 'kept' | null> {
    const next = await nextOwner(kysely, row, isLeaving)
    if (!next) return null
    await kysely
      .updateTable('journal')
      .set({ test_id: next.id })
      .where('store_id', '=', row.store_id)
      .where('seq', '=', row.seq)
      .execute()
    return next.isApplied ? 'kept' : 'open'
  }

  return restore
}

/**
 * Ids of the tests and drafts whose changes we must undo: tests that ended and are not applied, and
 * tests and drafts that were deleted. A test that is being applied waits.
 */
export async function testsToUndo(on: Reader, storeId: string): Promise<string[]> {
  const { rows } = await sql<{ test_id: string }>`
    select distinct j.test_id from journal j
    where j.store_id = ${storeId} and j.state = 'open' and j.test_id is not null
      and not exists (select from drafts d where d.store_id = j.store_id and d.draft_id = j.test_id)
      and not exists (select from tests t where t.store_id = j.store_id and t.test_id = j.test_id and (t.status <> 'Ended' or t.applying_arm is not null))`.execute(
    on,
  )
  return rows.map(row => row.test_id)
}

/** The `seq` numbers of the rows, grouped by batch. */
function batchesOf(rows: Pick<Row, 'seq' | 'batch_id'>[]): Row['seq'][][] {
  const batches: Row['seq'][][] = []
  for (const [i, { seq, batch_id }] of rows.entries())
    if (i > 0 && rows[i - 1]!.batch_id === batch_id) batches.at(-1)!.push(seq)
    else batches.push([seq])
  return batches
}

/**
 * Keeps the copies of files that stay. A new file of the same batch may hold what such a file was
 * before, and may be the only copy of the merchant's original. This removes those files from
 * `changes` and sets their outcomes.
 */
function keepCopies(batch: Row[], outcomes: Outcome[], changes: { at: number }[]): void {
  const originals = new Set(batch.filter((_, i) => outcomes[i]!.why).map(row => row.before))
  for (let n = changes.length - 1; n >= 0; n--) {
    const { at } = changes[n]!,
      { before, after, kind } = batch[at]!
    if (kind !== 'file' || before !== null || !originals.has(after)) continue
    outcomes[at] = { state: 'left' }
    changes.splice(n, 1)
  }
}
