import { createHash } from 'node:crypto'
import { type Selectable, sql, type SqlBool } from 'kysely'
import type { Db } from '../db/connection.ts'
import type { JournalTable } from '../db/lifecycle-schema.ts'
import { type Change, changeParts } from './journal-changes.ts'
import { filesHash } from './draft-claims.ts'
import type { For, Journal } from './journal-contract.ts'
import { type PlanOptions, startPlans } from './journal-plan.ts'
import { journalTurns } from './journal-turns.ts'
import { startUndo } from './journal-undo.ts'
import type { Platform } from '../platform/adapter.ts'

type Row = Selectable<JournalTable>

/** The journal of all stores. */
export function startJournal({
  db,
  platform,
  clock,
  jobs,
}: {
  db: Db
  platform: Platform
  clock: () => Date
  jobs?: PlanOptions['jobs']
}): Journal {
  const { kysely } = db
  const parts = changeParts({ db, platform, clock })
  const restore = startUndo({ db, platform })
  const plans = startPlans({ db, platform, clock, parts, restore, jobs })
  const inTurn = journalTurns(db)
  const change = (of: For, kind: Row['kind'], changes: Change[], from?: string): Promise<void> =>
    inTurn(of.storeId, async () => {
      if (changes.length === 0) return
      await plans.make(of, [{ kind, changes }], from)
      if (from !== undefined) await parts.fold(of, kind, changes[0]!.place)
    })

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
    makeAll: (of, steps) => inTurn(of.storeId, () => plans.make(of, steps)),
    resume: storeId => inTurn(storeId, () => plans.resume(storeId)),
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
    filesOf: filesHash,
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
