import { isDeepStrictEqual } from 'node:util'
import { weightProblems } from '../../domain/drafts/draft.ts'
import { domSelectorId, type DomSelector } from '../../domain/drafts/dom-selector.ts'
import {
  type DraftFields,
  type DraftUpdate,
  lastSave,
  saveOrder,
  soundSelectors,
} from '../../domain/drafts/draft-update.ts'
import { richest } from '../../domain/platform/capabilities.ts'
import type { PriceWay } from '../../domain/platform/price-way.ts'
import { type FieldProblem, HttpProblem } from '../../domain/problem.ts'
import { draftScheduleProblems } from '../../domain/tests/test-schedule.ts'
import { audienceProblems } from '../audiences/audiences.ts'
import type { EngineContext } from '../context.ts'
import type { DraftsTable } from '../db/schema.ts'
import type { Trx } from '../db/types.ts'
import { knownId, notFound, type Serve } from '../http/routes.ts'
import { capabilitiesOf } from '../platform/store-capabilities.ts'
import { access } from '../plans/access.ts'
import { repriced } from '../products/product-changes.ts'
import { productRows } from '../products/product-rows.ts'
import { changeProblems } from './change-problems.ts'
import { draftAnswer } from './draft-answer.ts'
import { type DraftRow, requireDraft } from './draft-rows.ts'
import { scheduleOf } from './draft-schedule.ts'
import type { Previews } from './previews.ts'

/** The API to save a draft: fields, changes, schedule and prices, in one transaction. */
export function draftUpdates(serve: Serve, context: EngineContext, previews: Previews): void {
  const { db, clock } = context
  const answer = draftAnswer(context, previews)

  serve('updateDraft', async ({ params: { id }, body }, { storeId }) => {
    const { draft_id: draftId } = await requireDraft(db.kysely, storeId, knownId(id, 'draft'))
    if (body.products) (await access(context, storeId)).require('PriceTesting')
    const priceWay = body.products
      ? (await capabilitiesOf(context, storeId)).priceWay
      : richest.priceWay
    const outcome = await db.kysely.transaction().execute(async trx => {
      const row = await trx
        .selectFrom('drafts')
        .selectAll()
        .where('store_id', '=', storeId)
        .where('draft_id', '=', draftId)
        .forUpdate()
        .executeTakeFirst()
      if (!row) throw notFound('draft')
      return storeUpdate(trx, row, body, priceWay, clock())
    })
    return { ...(await answer(storeId, draftId)), ...outcome }
  })
}

type Outcome = { problems?: FieldProblem[]; isLate?: true }

/**
 * Stores one save. Throws HttpProblem 400 for invalid values, unless the caller wants the valid
 * rest stored (`storeRest`); 409 when the draft has another version by now.
 */
async function storeUpdate(
  trx: Trx,
  row: DraftRow,
  { version: given, savedBy, storeRest = false, ...wanted }: DraftUpdate,
  priceWay: PriceWay,
  now: Date,
): Promise<Outcome> {
  const { version, isLate } = saveOrder(row.last_save, savedBy, given, row.version)
  if (isLate) return { isLate }
  const { domSelectors, schedule, products = [], ...fields } = wanted
  const planned = scheduled(schedule, row, now),
    prices = await newPrices(trx, row, products, priceWay, now)
  const problems = [
    ...(fields.weights ? weightProblems(fields.weights) : []),
    ...(fields.audienceIds
      ? await audienceProblems({ db: { kysely: trx } }, row.store_id, fields.audienceIds)
      : []),
    ...(domSelectors ? changeProblems(domSelectors) : []),
    ...planned.problems,
    ...prices.problems,
  ]
  if (problems.length > 0 && !storeRest) throw new HttpProblem(400, problems[0]!.message, problems)

  const isWrong = (field: string) =>
    problems.some(problem => problem.field === field || problem.field.startsWith(`${field}.`))
  const sound = Object.fromEntries(
    Object.entries(fields).filter(([field]) => !isWrong(field)),
  ) as DraftFields
  const changed = changedColumns(row, {
    ...columnsOf(sound),
    ...(domSelectors &&
      selectorColumn(row, soundSelectors(domSelectors, row.dom_selectors, problems))),
    ...(planned.problems.length === 0 && planned.columns),
  })
  const isNew = Object.keys(changed).length > 0 || prices.rows.length > 0
  // If the draft holds these values already, the save succeeds, whichever version it was written
  // from. It may be the second click of a double click.
  if (isNew && version !== undefined && version !== row.version)
    throw new HttpProblem(409, 'This draft was changed elsewhere since you opened it.', [
      { field: 'version', message: `is ${row.version} now` },
    ])
  const made = row.version + (isNew ? 1 : 0)
  for (const { id, columns } of prices.rows)
    await trx
      .updateTable('test_products')
      .set(columns)
      .where('store_id', '=', row.store_id)
      .where('test_product_id', '=', id)
      .execute()
  const isSigned = savedBy !== undefined && version !== undefined
  if (isNew || isSigned)
    await trx
      .updateTable('drafts')
      .set({
        ...asStored(changed),
        ...(isNew && { version: made, updated_at: now }),
        ...('dom_selectors' in changed && { variant_created_at: row.variant_created_at ?? now }),
        ...(isSigned && {
          last_save: JSON.stringify(lastSave(row.last_save, savedBy, version, made)),
        }),
      })
      .where('store_id', '=', row.store_id)
      .where('draft_id', '=', row.draft_id)
      .execute()
  return problems.length > 0 ? { problems } : {}
}

/** New values for columns of a draft's row, in the form in which we read them. */
type Columns = Partial<Record<keyof DraftsTable, unknown>>

const columnOf = {
  title: 'title',
  hypothesisDescription: 'hypothesis_description',
  controlTitle: 'control_title',
  variantTitle: 'variant_title',
  goal: 'goal',
  weights: 'weights',
  minimumEffect: 'minimum_effect',
  expectedVisitors: 'expected_visitors',
  controlUrl: 'control_url',
  redirectUrl: 'redirect_url',
  audienceIds: 'audience_ids',
  apiMode: 'api_mode',
} as const satisfies Record<keyof DraftFields, keyof DraftsTable>

/** The columns of the given fields. */
export const columnsOf = (fields: DraftFields): Columns =>
  Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      columnOf[field as keyof typeof columnOf],
      value,
    ]),
  )

const jsonColumns: readonly (keyof DraftsTable)[] = ['weights', 'audience_ids', 'dom_selectors']
/** The same values in the form in which the database stores them: JSON columns as text. */
export const asStored = (columns: Columns): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(columns).map(([column, value]) => [
      column,
      jsonColumns.includes(column as keyof DraftsTable) ? JSON.stringify(value) : value,
    ]),
  )

const changedColumns = (row: DraftRow, columns: Columns): Columns =>
  Object.fromEntries(
    Object.entries(columns).filter(
      ([column, value]) => !isDeepStrictEqual(value, row[column as keyof DraftRow]),
    ),
  )

/** Empty when only ids differ: a page makes new ids for changes that it has not read back yet. */
function selectorColumn({ dom_selectors }: DraftRow, given: readonly DomSelector[]): Columns {
  const plain = (sets: readonly DomSelector[]) => sets.map(({ id: _, ...set }) => set)
  return isDeepStrictEqual(plain(given), plain(dom_selectors))
    ? {}
    : { dom_selectors: given.map(set => ({ ...set, id: domSelectorId(set.id) })) }
}

/**
 * Reports only problems of the instants in this request. A stored instant that has passed meanwhile
 * is no mistake of this request.
 */
function scheduled(
  given: DraftUpdate['schedule'],
  row: DraftRow,
  now: Date,
): { columns: Columns; problems: FieldProblem[] } {
  if (!given) return { columns: {}, problems: [] }
  try {
    const schedule = scheduleOf(given, row)
    return {
      columns: {
        launch_at: schedule.launchAt,
        automatically_end_at: schedule.automaticallyEndAt,
      },
      problems: draftScheduleProblems(schedule, now).filter(
        ({ field }) => given[field as keyof typeof given] !== undefined,
      ),
    }
  } catch (error) {
    if (error instanceof HttpProblem) return { columns: {}, problems: error.fields }
    throw error
  }
}

/** The product rows whose prices change, and what is wrong with the given prices. */
async function newPrices(
  trx: Trx,
  { store_id: storeId, draft_id: draftId }: DraftRow,
  products: NonNullable<DraftUpdate['products']>,
  priceWay: PriceWay,
  now: Date,
) {
  const problems: FieldProblem[] = [],
    rows: { id: string; columns: ReturnType<typeof repriced>['columns'] }[] = []
  if (products.length === 0) return { problems, rows }
  const known = new Map(
    (await productRows(trx, { storeId, draftId })).map(row => [row.test_product_id, row]),
  )
  products.forEach(({ id, prices }, i) => {
    const row = known.get(id)
    if (!row)
      return problems.push({
        field: `products.${i}.id`,
        message: 'This product is no longer in the test.',
      })
    const priced = repriced(row, prices, now, priceWay, `products.${i}.`)
    problems.push(...priced.problems)
    return (
      priced.problems.length === 0 && priced.isNew && rows.push({ id, columns: priced.columns })
    )
  })
  return { problems, rows }
}
