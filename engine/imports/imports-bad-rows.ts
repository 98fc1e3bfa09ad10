import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type ImportColumn,
  importEvents,
  type ImportProblem,
  maxVisitorRows,
} from '../../domain/imports/import-row.ts'
import { rows as query } from '../db/raw.ts'
import type { Stage } from './imports-stage.ts'

const purchase = importEvents.indexOf('purchase'),
  refund = importEvents.indexOf('refund')

/**
 * Takes out the staged rows that only a look at all rows of their visitor shows to be bad. Some
 * visitors at a time, and their rows in one pass each: on PGlite everybody waits for each
 * statement.
 */
export async function* takeOutBad({ one, table, batch }: Stage): AsyncGenerator<ImportProblem> {
  const bad = async (
    column: ImportColumn,
    message: string,
    statement: string,
    visitors: string[],
  ): Promise<ImportProblem[]> =>
    (await query<{ line: number }>(one, statement, [visitors])).map(({ line }) => ({
      line,
      column,
      message,
    }))
  for (let last = ''; ;) {
    const page = await query<{ visitor: string; rows: number; refunds: number }>(
      one,
      `
      select visitor, count(*)::int as rows, (count(*) filter (where event = ${refund}))::int as refunds from ${table}
      where visitor > $1 group by visitor order by visitor limit ${batch}`,
      [last],
    )
    const many = page.filter(({ rows }) => rows > maxVisitorRows).map(({ visitor }) => visitor)
    if (many.length > 0)
      yield* await bad(
        'visitor',
        `A visitor has at most ${maxVisitorRows.toLocaleString('en')} rows in a file.`,
        beyondMost(table),
        many,
      )
    for (const visitors of pieces(
      page.filter(({ refunds }) => refunds > 0),
      batch,
    )) {
      yield* await bad(
        'event',
        'No purchase of this visitor comes before this refund.',
        refundsOfNothing(table),
        visitors,
      )
      yield* await bad(
        'value',
        'More is paid back than the order came to.',
        refundsBeyond(table),
        visitors,
      )
      await nextTurn()
    }
    if (page.length < batch) break
    last = page.at(-1)!.visitor
    await nextTurn()
  }
}

/** Visitors who have about that many rows together. */
function pieces(visitors: { visitor: string; rows: number }[], most: number): string[][] {
  const found: string[][] = []
  let room = 0
  for (const { visitor, rows } of visitors) {
    if (room <= 0) {
      found.push([])
      room = most
    }
    found.at(-1)!.push(visitor)
    room -= Math.min(rows, maxVisitorRows)
  }
  return found
}

/** Deletes by the places of rows in the table (`ctid`): no search for them can be slow. */
const takeOut = (table: string, spots: string): string =>
  `delete from ${table} where ctid = any(array(${spots})) returning line`

/** After the first rows of a visitor in the file. */
const beyondMost = (table: string): string =>
  takeOut(
    table,
    `select spot from (
      select ctid as spot, row_number() over (partition by visitor order by line) as place from ${table} where visitor = any($1::text[])) placed
    where place > ${maxVisitorRows}`,
  )

const sales = (table: string): string =>
  `(select ctid as spot, line, visitor, arm, at, event, value, order_ref, product, quantity from ${table} where visitor = any($1::text[]) and event in (${purchase}, ${refund})) sales`
/** A purchase goes before a refund of the same moment. */
const inTime = `order by at, event = ${refund}, line`

const refundsOfNothing = (table: string): string =>
  takeOut(
    table,
    `select spot from (
      select spot, event, order_ref,
        count(*) filter (where event = ${purchase}) over (partition by visitor ${inTime}) as any_order,
        count(*) filter (where event = ${purchase}) over (partition by visitor, order_ref ${inTime}) as own_order
      from ${sales(table)}) counted
    where event = ${refund} and case when order_ref = '' then any_order else own_order end = 0`,
  )

/** Refunds by which an order is paid back more than it came to, each row counted once. */
const refundsBeyond = (table: string): string =>
  takeOut(
    table,
    `with named as (
      select *, case when order_ref = '' then concat_ws(' ', arm, at, value, product, quantity) else 'named ' || order_ref end as named,
        count(*) filter (where event = ${purchase}) over (partition by visitor ${inTime}) as place
      from ${sales(table)}),
    -- The first row of a place is its purchase; the refunds behind it are of that order where they name none.
    keyed as (
      select *, case when order_ref = '' then first_value(named) over (partition by visitor, place ${inTime}) else named end as key
      from named),
    single as (
      select visitor, key, arm, at, event, value, order_ref, product, quantity, array_agg(spot) as spots
      from keyed group by visitor, key, arm, at, event, value, order_ref, product, quantity),
    orders as (
      select *, sum(value) filter (where event = ${purchase}) over (partition by visitor, key) as amount from single),
    -- One that is too large by itself takes nothing from the others.
    run as (
      select *, sum(case when event = ${refund} and value <= amount then value else 0 end) over (partition by visitor, key order by at, arm, value, order_ref) as paid_back
      from orders)
    select unnest(spots) from run where event = ${refund} and (value > amount or paid_back > amount)`,
  )
