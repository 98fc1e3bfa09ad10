import { createHash, randomUUID } from 'node:crypto'
import { type Kysely, type Selectable, sql, type SqlBool, type Transaction } from 'kysely'
import { HttpProblem } from '../domain/problem.ts'
import type { AssignedType } from '../domain/template.ts'
import type { Db } from './db/connection.ts'
import type { JournalTable } from './db/lifecycle-schema.ts'
import type { Schema } from './db/schema.ts'
import { requireInstalled } from './installed.ts'
import { type BytesOf, isRefusal, journalKinds, type Place } from './journal-kinds.ts'
import { nextOwner } from './picture-owners.ts'
import type { Platform } from './platform/adapter.ts'

/**
 * Everything the product changes in a shop is written down before it is changed (design.md §6), so that it can be
 * undone. An entry holds what stood there, what we wrote, and the test it was for.
 */
export type Kept = {
  /** In words for the merchant: "Template product.ts-story of theme Kiln". */
  what: string
  why: 'applied' | 'edited' | 'gone'
}
type For = { storeId: string; testId: string | null }
export type Journal = {
  /** Null as body takes the file away. */
  writeFiles: (
    change: For & { themeId: string; files: { name: string; body: string | null }[] },
  ) => Promise<void>
  /** A further change of a file: one entry holds them all. Throws HttpProblem 409 when the shop holds something else than `from`. */
  editFile: (
    change: For & { themeId: string; name: string; from: string; to: string },
  ) => Promise<void>
  assignTemplates: (
    change: For & { assignments: { type: AssignedType; id: string; suffix: string }[] },
  ) => Promise<void>
  setPrices: (
    change: For & { productId: string; prices: { variantId: string; price: number }[] },
  ) => Promise<void>
  publishTheme: (change: For & { themeId: string }) => Promise<void>
  redirect: (change: For & { path: string; target: string }) => Promise<void>
  /** Puts pictures that are kept on the shop's asset host. */
  putPictures: (change: For & { names: string[] }) => Promise<void>
  /** From here on these changes are the merchant's own: a winner was applied. */
  keep: (storeId: string, testId: string) => Promise<void>
  /** Takes that back: the next walk undoes them. */
  reopen: (storeId: string, testId: string, kind?: JournalTable['kind']) => Promise<void>
  /** What was a draft's is the test's that it was launched as. */
  adopt: (
    trx: Transaction<Schema>,
    storeId: string,
    draftId: string,
    testId: string,
  ) => Promise<void>
  /** What we last wrote into a file for a test or draft, undone or not; null when we never did. */
  lastWritten: (storeId: string, testId: string, name: string) => Promise<string | null>
  /** What we wrote that is neither undone nor the merchant's own, in their words: it stays when our access is gone. */
  remaining: (storeId: string) => Promise<string[]>
  /**
   * Walks backwards and undoes what we wrote, of one test (or one file or the pictures of it) or of the whole store: only where it was
   * not applied as a winner and the shop still holds what we wrote. May be called again after a crash. Answers what
   * stays and why. `onStep` is told the share that is done. `isWanted` is asked when its turn has come.
   */
  restore: (
    storeId: string,
    of: {
      testId?: string
      file?: string
      kind?: JournalTable['kind']
      onStep?: (done: number, what: string) => Promise<void>
      isWanted?: () => Promise<boolean>
    },
  ) => Promise<{ undone: number; kept: Kept[] }>
  /** Settles when the changes and walks of the store that have begun are over. */
  settled: (storeId: string) => Promise<void>
}

type Row = Selectable<JournalTable>
type Change = { place: Place; value: string | null }
type Outcome = { state: Row['state']; why?: Kept['why'] }

export function startJournal({
  db: { kysely },
  platform,
  clock,
}: {
  db: Db
  platform: Platform
  clock: () => Date
}): Journal {
  const underWay = new Map<string, Promise<unknown>>()
  /** Changes and walks of a store take turns: a walk must not meet a change half made. */
  function inTurn<T>(storeId: string, act: () => Promise<T>): Promise<T> {
    const turn = (underWay.get(storeId) ?? Promise.resolve()).then(act, act)
    underWay.set(storeId, turn)
    const clear = () => {
      if (underWay.get(storeId) === turn) underWay.delete(storeId)
    }
    turn.then(clear, clear)
    return turn
  }
  const shopOf = async (storeId: string) =>
    (
      await kysely
        .selectFrom('stores')
        .select('shop')
        .where('store_id', '=', storeId)
        .executeTakeFirstOrThrow()
    ).shop

  const bytesOf =
    (storeId: string): BytesOf =>
    async name =>
      await kysely
        .selectFrom('pictures')
        .select(['type', 'body'])
        .where('store_id', '=', storeId)
        .where('name', '=', name)
        .executeTakeFirst()
        .then(row => (row ? { type: row.type, body: Buffer.from(row.body) } : null))

  const change = (
    { storeId, testId }: For,
    kind: Row['kind'],
    changes: Change[],
    from?: string,
  ): Promise<void> =>
    inTurn(storeId, async () => {
      if (changes.length === 0) return
      const shop = await shopOf(storeId)
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
      const ofBatch = (state: Row['state']) =>
        kysely
          .updateTable('journal')
          .set({ state })
          .where('store_id', '=', storeId)
          .where('batch_id', '=', batch_id)
          .where('state', 'in', ['open', 'undone'])
          .execute()
      try {
        await journalKinds[kind].write(platform, shop, made, bytesOf(storeId))
      } catch (error) {
        if (isRefusal(error)) await ofBatch('undone')
        throw error
      }
      // Another process's walk that came between row and change has found nothing to undo.
      await ofBatch('open')
      if (from !== undefined) await fold({ storeId, testId }, kind, changes[0]!.place)
    })

  /** The last two changes of a place become one where the second went on from the first: undoing is a single step, and what is kept does not grow with every word typed. */
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

  async function restore(
    storeId: string,
    { testId, file, kind, onStep, isWanted }: Parameters<Journal['restore']>[1],
  ): Promise<{ undone: number; kept: Kept[] }> {
    if (isWanted && !(await isWanted())) return { undone: 0, kept: [] }
    const shop = await shopOf(storeId)
    let wanted = kysely
      .selectFrom('journal')
      .selectAll()
      .where('store_id', '=', storeId)
      .where('state', '!=', 'undone')
    if (testId !== undefined) wanted = wanted.where('test_id', '=', testId)
    if (file !== undefined)
      wanted = wanted.where('kind', '=', 'file').where(sql<SqlBool>`place->>1 = ${file}`)
    if (kind !== undefined) wanted = wanted.where('kind', '=', kind)
    const rows = await wanted.orderBy('seq', 'desc').execute()
    const kept: Kept[] = rows
      .filter(row => row.state === 'kept')
      .map(({ what }) => ({ what, why: 'applied' }))
    const open = rows.filter(row => row.state !== 'kept')
    let undone = 0,
      done = 0
    for (const batch of batchesOf(open)) {
      const outcomes = await undo(shop, batch, testId === undefined)
      for (const [i, row] of batch.entries()) {
        const { state, why } = outcomes[i]!
        if (why) kept.push({ what: row.what, why })
        if (state === 'undone') undone++
        if (state !== row.state)
          await kysely
            .updateTable('journal')
            .set({ state })
            .where('store_id', '=', storeId)
            .where('seq', '=', row.seq)
            .execute()
      }
      done += batch.length
      await onStep?.(done / open.length, batch[0]!.what)
    }
    return { undone, kept }
  }

  /** One act taken back, as far as the shop still holds it. */
  async function undo(shop: string, batch: Row[], isLeaving: boolean): Promise<Outcome[]> {
    const { look, write, isInUse } = journalKinds[batch[0]!.kind]
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
      // Another test has changed it on: what it would put back is what was there before us.
      if (await handOn(row)) continue
      const keeper = row.kind === 'picture' && (await handPicture(row, isLeaving))
      if (keeper) {
        outcomes[i] = { state: keeper }
        continue
      }
      if (value === row.before) continue
      if (value === undefined) outcomes[i] = { state: 'left', why: 'gone' }
      else if (
        value !== row.after ||
        (row.before === null && (await isInUse?.(platform, shop, row.place)))
      )
        outcomes[i] = { state: 'left', why: value === null ? 'gone' : 'edited' }
      else changes.push({ place: row.place, value: row.before, at: i })
    }
    if (changes.length === 0) return outcomes
    try {
      await write(platform, shop, changes, bytesOf(batch[0]!.store_id))
    } catch (error) {
      if (!isRefusal(error)) throw error
      for (const { at } of changes) outcomes[at] = { state: 'left', why: 'gone' }
    }
    return outcomes
  }

  async function handOn(row: Row): Promise<boolean> {
    const later = await kysely
      .selectFrom('journal')
      .select('seq')
      .where('store_id', '=', row.store_id)
      .where('seq', '>', row.seq)
      .where('state', '!=', 'undone')
      .where('kind', '=', row.kind)
      .where(sql<SqlBool>`place = ${JSON.stringify(row.place)}::jsonb`)
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

  /** A picture that another draft or test shows is that one's from now on. Answers how it stands then; null when nobody else shows it. */
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

  const setState = async (
    storeId: string,
    testId: string,
    from: Row['state'][],
    state: Row['state'],
    kind?: Row['kind'],
  ) => {
    await kysely
      .updateTable('journal')
      .set({ state })
      .where('store_id', '=', storeId)
      .where('test_id', '=', testId)
      .where('state', 'in', from)
      .$if(kind !== undefined, query => query.where('kind', '=', kind!))
      .execute()
  }

  return {
    writeFiles: ({ themeId, files, ...of }) =>
      change(
        of,
        'file',
        files.map(({ name, body }) => ({ place: [themeId, name], value: body })),
      ),
    editFile: ({ themeId, name, from, to, ...of }) =>
      change(of, 'file', [{ place: [themeId, name], value: to }], from),
    assignTemplates: ({ assignments, ...of }) =>
      change(
        of,
        'assignment',
        assignments.map(({ type, id, suffix }) => ({ place: [type, id], value: suffix })),
      ),
    setPrices: ({ productId, prices, ...of }) =>
      change(
        of,
        'price',
        prices.map(({ variantId, price }) => ({
          place: [productId, variantId],
          value: String(price),
        })),
      ),
    publishTheme: ({ themeId, ...of }) => change(of, 'theme', [{ place: [], value: themeId }]),
    redirect: ({ path, target, ...of }) =>
      change(of, 'redirect', [{ place: [path], value: target }]),
    putPictures: async ({ names, ...of }) => {
      const kept = await kysely
        .selectFrom('pictures')
        .select(['name', 'body'])
        .where('store_id', '=', of.storeId)
        .where('name', 'in', names)
        .orderBy('name')
        .execute()
      return change(
        of,
        'picture',
        kept.map(({ name, body }) => ({
          place: [name],
          value: createHash('sha256').update(body).digest('hex'),
        })),
      )
    },
    keep: (storeId, testId) => setState(storeId, testId, ['open', 'left'], 'kept'),
    reopen: (storeId, testId, kind) => setState(storeId, testId, ['kept'], 'open', kind),
    adopt: async (trx, storeId, draftId, testId) => {
      await trx
        .updateTable('journal')
        .set({ test_id: testId })
        .where('store_id', '=', storeId)
        .where('test_id', '=', draftId)
        .execute()
    },
    lastWritten: async (storeId, testId, name) => {
      const row = await kysely
        .selectFrom('journal')
        .select('after')
        .where('store_id', '=', storeId)
        .where('test_id', '=', testId)
        .where('kind', '=', 'file')
        .where(sql<SqlBool>`place->>1 = ${name}`)
        .where('after', 'is not', null)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row?.after ?? null
    },
    remaining: async storeId => {
      const rows = await kysely
        .selectFrom('journal')
        .select('what')
        .where('store_id', '=', storeId)
        .where('state', '=', 'open')
        .orderBy('seq')
        .execute()
      return [...new Set(rows.map(row => row.what))]
    },
    restore: (storeId, of) => inTurn(storeId, () => restore(storeId, of)),
    settled: storeId => inTurn(storeId, async () => {}),
  }
}

/** Tests and drafts whose changes are to be undone: over and not applied, or gone altogether. One that is being applied waits. */
export async function testsToUndo(
  on: Kysely<Schema> | Transaction<Schema>,
  storeId: string,
): Promise<string[]> {
  const { rows } = await sql<{ test_id: string }>`
    select distinct j.test_id from journal j
    where j.store_id = ${storeId} and j.state = 'open' and j.test_id is not null
      and not exists (select from drafts d where d.store_id = j.store_id and d.draft_id = j.test_id)
      and not exists (select from tests t where t.store_id = j.store_id and t.test_id = j.test_id and (t.status <> 'Ended' or t.applying_arm is not null))`.execute(
    on,
  )
  return rows.map(row => row.test_id)
}

function batchesOf(rows: Row[]): Row[][] {
  const batches: Row[][] = []
  for (const row of rows) {
    const last = batches.at(-1)
    if (last && last[0]!.batch_id === row.batch_id) last.push(row)
    else batches.push([row])
  }
  return batches
}
