import { stringify } from 'csv-stringify/sync'
import type { Cell, Table } from '../../domain/reports/export.ts'

/** So that spreadsheets take the file for UTF-8. */
export const byteOrderMark = '\uFEFF'

/** Rows of CSV (RFC 4180), each with its line end. Text that a spreadsheet would take for a formula is prefixed; numbers are left plain. */
export const csvText = (rows: Cell[][]): string =>
  stringify(
    rows.map(row => row.map(written)),
    { record_delimiter: 'windows' },
  )

/** A whole table in pieces, as the rows come. */
export async function* csvParts(
  header: string[],
  parts: AsyncIterable<Cell[][]> | Iterable<Cell[][]>,
): AsyncGenerator<string> {
  yield byteOrderMark + csvText([header])
  for await (const rows of parts) yield csvText(rows)
}

export const csvOf = (tables: Table[]): AsyncGenerator<string> =>
  csvParts(
    tables[0]!.header,
    tables.map(table => table.rows),
  )

function written(cell: Cell): string | null {
  if (cell === null) return null
  if (typeof cell === 'number') return String(cell)
  return typeof cell === 'string' ? withoutFormula(cell) : cell.plain
}

/** OWASP's list: what begins so is run by a spreadsheet, even from a cell in quotes. */
const withoutFormula = (text: string): string => (/^[=+\-@\t\r\0]/.test(text) ? `'${text}` : text)
