import { stringify } from 'csv-stringify/sync'
import type { Cell, Table } from '../../domain/reports/export.ts'

/** Makes spreadsheets read the file as UTF-8. */
export const byteOrderMark = '\uFEFF'

/**
 * Returns rows as CSV (RFC 4180), each with its line end. Text that a spreadsheet would run as a
 * formula gets an apostrophe in front; numbers stay plain.
 */
export const csvText = (rows: Cell[][]): string =>
  stringify(
    rows.map(row => row.map(written)),
    { record_delimiter: 'windows' },
  )

/** Yields a whole table as CSV in pieces, as its rows arrive. */
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

/**
 * Spreadsheets run text that begins with one of these characters (OWASP's list), even from a quoted
 * cell.
 */
const withoutFormula = (text: string): string => (/^[=+\-@\t\r\0]/.test(text) ? `'${text}` : text)
