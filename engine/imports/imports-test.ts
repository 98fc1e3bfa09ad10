import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { PerArm } from '../../domain/arm.ts'
import { type ImportFact, importFacts } from '../../domain/imports/import-facts.ts'
import type { ImportOptions } from '../../domain/imports/import.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Schema } from '../db/schema.ts'
import type { Trx } from '../db/types.ts'

/**
 * An import before its rows are written. `isNew`: no visitor of it is stored yet. `isFinished`: its
 * test exists. `isSame`: all rows of this file are stored too. `from` and `to`: milliseconds.
 */
export type Opened = {
  testId: string
  weights: PerArm<number>
  isNew: boolean
  isFinished: boolean
  isSame: boolean
  from: number
  to: number
}
type Options = ImportOptions & { kind: NonNullable<ImportOptions['kind']> }

/**
 * Finds the import of this title, or begins one. `first` and `last` of the file are in
 * milliseconds. Throws HttpProblem 409 when the title was imported with another split, goal or
 * kind: the split decides each visitor's arm, so it cannot change.
 */
export async function openImport(
  one: Kysely<Schema>,
  storeId: string,
  options: Options,
  file: { hash: string; first: number; last: number },
  now: Date,
): Promise<Opened> {
  return one.transaction().execute(async trx => {
    const { title, weights, goal, kind } = options
    await sql`select pg_advisory_xact_lock(hashtext('twinshelf imports'), hashtext(${storeId}))`.execute(
      trx,
    )
    const known = await trx
      .selectFrom('test_imports as i')
      .leftJoin('tests as t', join =>
        join.onRef('t.store_id', '=', 'i.store_id').onRef('t.test_id', '=', 'i.test_id'),
      )
      .select([
        'i.test_id',
        'i.weights',
        'i.goal',
        'i.kind',
        'i.is_finished',
        'i.file_hash',
        't.start_at',
        't.ended_at',
      ])
      .where('i.store_id', '=', storeId)
      .where('i.title', '=', title)
      .executeTakeFirst()
    const isDeleted = known?.is_finished && !known.start_at
    if (known && !isDeleted) {
      if (known.weights[0] !== weights[0] || known.goal !== goal || known.kind !== kind)
        throw new HttpProblem(
          409,
          `“${title}” was imported before with another split, goal or kind. Choose another title, or delete that test first.`,
          [{ field: 'title', message: 'Imported before, with another split, goal or kind.' }],
        )
      const from = Math.min(file.first, known.start_at?.getTime() ?? Infinity),
        to = Math.max(file.last + afterLast, known.ended_at?.getTime() ?? 0)
      return {
        testId: known.test_id,
        weights: known.weights,
        isNew: false,
        isFinished: known.is_finished,
        isSame: known.is_finished && known.file_hash === file.hash,
        from,
        to,
      }
    }
    // The events of a deleted test stay under its id, so the new import gets another id.
    const row = {
      test_id: randomUUID(),
      weights: JSON.stringify(weights),
      goal,
      kind,
      is_finished: false,
      file_hash: '',
      imported_at: now,
    }
    await trx
      .insertInto('test_imports')
      .values({ store_id: storeId, title, ...row })
      .onConflict(oc => oc.columns(['store_id', 'title']).doUpdateSet(row))
      .execute()
    return {
      testId: row.test_id,
      weights,
      isNew: true,
      isFinished: false,
      isSame: false,
      from: file.first,
      to: file.last + afterLast,
    }
  })
}

/** How long after its last row an imported test ends, in milliseconds. */
const afterLast = 1_000

/** How often the test's figures have changed. */
export async function changesOf(
  one: Kysely<Schema>,
  storeId: string,
  testId: string,
): Promise<number> {
  const row = await one
    .selectFrom('test_changes')
    .select('changed')
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .executeTakeFirst()
  return row?.changed ?? 0
}

/**
 * Stores the test, as ended, now that all its rows are stored. Earlier, it would be summed up and
 * judged with a part of its rows. A test that exists already is judged again.
 */
export async function closeImport(
  trx: Trx,
  storeId: string,
  { testId, weights, from, to }: Opened,
  options: Options,
  file: { hash: string; visitors: number; told: ReadonlySet<ImportFact> },
  now: Date,
): Promise<void> {
  const start_at = new Date(from),
    ended_at = new Date(to)
  const own = {
    start_at,
    ends_at: ended_at,
    ended_at,
    minimum_effect: options.minimumEffect ?? 0.1,
    updated_at: now,
    verdict_kind: null,
    verdict_at: null,
    verdict_lift: null,
    verdict_chance: null,
  }
  const key = { store_id: storeId, test_id: testId }
  // Facts that an earlier file of the same test gave stay known.
  const before = await trx
    .selectFrom('tests')
    .select('not_in_file')
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .executeTakeFirst()
  const not_in_file = JSON.stringify(
    (before?.not_in_file ?? importFacts).filter(fact => !file.told.has(fact)),
  )
  await trx
    .insertInto('tests')
    .values({
      ...key,
      ...own,
      draft_id: randomUUID(),
      kind: options.kind,
      title: options.title,
      hypothesis_description: '',
      control_title: 'Control',
      variant_title: 'Variant',
      goal: options.goal,
      weights: JSON.stringify(weights),
      control_url: '',
      redirect_url: '',
      dom_selectors: '[]',
      control_hypothesis_id: randomUUID(),
      variant_hypothesis_id: randomUUID(),
      launch_at: null,
      automatically_end_at: null,
      created_at: now,
      status: 'Ended',
      pages: '[]',
      applied_at: null,
      planned_visitors: file.visitors,
      is_imported: true,
      not_in_file,
    })
    .onConflict(oc => oc.columns(['store_id', 'test_id']).doUpdateSet({ ...own, not_in_file }))
    .execute()
  await trx
    .updateTable('tests')
    .set({ planned_visitors: sql`greatest(planned_visitors, ${file.visitors})` })
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .execute()
  await trx
    .deleteFrom('test_history')
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .execute()
  await trx
    .insertInto('test_history')
    .values([
      { ...key, status: 'Active' as const, applied_on: start_at },
      { ...key, status: 'Ended' as const, applied_on: ended_at },
    ])
    .execute()
  await trx
    .deleteFrom('test_events')
    .where('store_id', '=', storeId)
    .where('test_id', '=', testId)
    .execute()
  await trx
    .insertInto('test_events')
    .values([
      {
        ...key,
        kind: 'Created' as const,
        at: now,
        detail: 'Imported',
        value: null,
        mark: 'Created',
      },
      { ...key, kind: 'Start' as const, at: start_at, detail: null, value: null, mark: 'Start' },
      { ...key, kind: 'End' as const, at: ended_at, detail: null, value: null, mark: 'End' },
    ])
    .execute()
  await trx
    .updateTable('test_imports')
    .set({ is_finished: true, file_hash: file.hash, imported_at: now })
    .where('store_id', '=', storeId)
    .where('title', '=', options.title)
    .execute()
}
