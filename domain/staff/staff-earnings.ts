import * as Type from 'typebox'
import { closed, Instant } from '../api/call.ts'
import { minorFromDecimal } from '../money.ts'

/**
 * The columns of a file of earnings: UTF-8 CSV with one row for each month, shop and plan. Amounts
 * are dollars as decimal text.
 */
export const earningsColumns = ['month', 'shop', 'plan', 'gross', 'fee', 'net'] as const
type Column = (typeof earningsColumns)[number]
/**
 * Maximum bytes and rows of one file. The API takes bodies of at most 256 KiB, and JSON may need
 * two bytes for a character.
 */
export const earningsLimits = { bytes: 100 * 1024, rows: 2_000 } as const

/** One row of a file; amounts in cents. */
export type EarningsRow = {
  month: string
  shop: string
  planId: string
  gross: number
  fee: number
  net: number
}
/** `row` as spreadsheets count: the header is row 1. */
export type CellProblem = { row: number; column: Column | null; message: string }
export const cellProblemText = ({ row, column, message }: CellProblem): string =>
  `Row ${row}${column ? `, ${column}` : ''}: ${message}`

export const monthForm = /^20\d{2}-(0[1-9]|1[0-2])$/
const shopForm = /^[a-z0-9][a-z0-9-]{0,62}(\.[a-z0-9-]{1,63}){1,4}$/

export function headerProblem(header: readonly string[]): string | null {
  const found = header.map(name => name.trim().toLowerCase())
  if (
    earningsColumns.every((name, i) => found[i] === name) &&
    found.length === earningsColumns.length
  )
    return null
  return `The first row must be ${earningsColumns.join(',')}.`
}

/**
 * Reads the cells of one row, or returns the first problem in it. `planIds`: ids of all plans.
 * `today`: the present month, YYYY-MM.
 */
export function readEarnings(
  cells: readonly string[],
  row: number,
  { planIds, today }: { planIds: ReadonlySet<string>; today: string },
): EarningsRow | CellProblem {
  const wrong = (column: Column | null, message: string): CellProblem => ({ row, column, message })
  if (cells.length !== earningsColumns.length)
    return wrong(null, `${cells.length} cells instead of ${earningsColumns.length}.`)
  const [month, shop, planId, ...money] = cells.map(cell => cell.trim()) as [
    string,
    string,
    string,
    ...string[],
  ]
  if (!monthForm.test(month)) return wrong('month', 'Write the month as 2026-11.')
  if (month > today) return wrong('month', 'This month is in the future.')
  if (!shopForm.test(shop) || shop.length > 255)
    return wrong('shop', 'Write the shop’s platform domain, in lower case.')
  if (!planIds.has(planId)) return wrong('plan', 'There is no plan with this id.')
  const cents = money.map(centsOf)
  const bad = cents.indexOf(null)
  if (bad >= 0)
    return wrong(
      earningsColumns[3 + bad]!,
      'Write dollars as 199.00, without a currency sign or thousands separators.',
    )
  const [gross, fee, net] = cents as [number, number, number]
  if (gross - fee !== net) return wrong('net', 'Net must be gross minus fee.')
  return { month, shop, planId, gross, fee, net }
}
export const isCellProblem = (read: EarningsRow | CellProblem): read is CellProblem =>
  'message' in read

/**
 * Reads dollars as cents; null when the text is not an amount. A refund or a correction is
 * negative.
 */
function centsOf(text: string): number | null {
  const minor = minorFromDecimal(text.replace(/^-/, ''), 'USD')
  return minor === null || minor > maxCents
    ? null
    : text.startsWith('-') && minor !== 0
      ? -minor
      : minor
}
/** The largest amount of one shop in one month: ten million dollars. */
const maxCents = 1_000_000_000

const Sums = { gross: Type.Number(), fee: Type.Number(), net: Type.Number() }
export const EarningsMonth = Type.Object({
  month: Type.String(),
  shops: Type.Integer(),
  rows: Type.Integer(),
  ...Sums,
  fileName: Type.String(),
  uploadedAt: Instant,
  uploadedBy: Type.String(),
})
export type EarningsMonth = Type.Static<typeof EarningsMonth>
export const EarningsLine = Type.Object({ shop: Type.String(), plan: Type.String(), ...Sums })
export type EarningsLine = Type.Static<typeof EarningsLine>
export const earningsSorts = ['month', 'net'] as const
export const lineSorts = ['shop', 'plan', 'net'] as const

/** `replace`: true replaces months that were uploaded before; otherwise such months are refused. */
export const EarningsUpload = Type.Object(
  {
    fileName: Type.String({ minLength: 1, maxLength: 200 }),
    csv: Type.String({ maxLength: earningsLimits.bytes }),
    replace: Type.Boolean(),
  },
  closed,
)
