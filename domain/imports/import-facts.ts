import type { Breakdown } from '../reports/breakdown.ts'
import type { ImportColumn } from './import-row.ts'

/** What a report tells about visitors and the file of a past experiment may not. Whether somebody had been there before is in no file. */
export const importFacts = [
  'device',
  'channel',
  'referrer',
  'country',
  'visitors',
] as const satisfies readonly Breakdown[]
export type ImportFact = (typeof importFacts)[number]

/** Columns of which any one says it. A campaign without its source makes no channel. */
const columnsOf: Record<ImportFact, readonly ImportColumn[]> = {
  device: ['device'],
  channel: ['channel', 'utm_source', 'utm_medium', 'referrer'],
  referrer: ['referrer'],
  country: ['country'],
  visitors: [],
}
/** What a row says by its cells; an empty one says nothing. */
export const factsIn = (
  cells: readonly string[],
  columns: ReadonlyMap<ImportColumn, number>,
): ImportFact[] =>
  importFacts.filter(fact =>
    columnsOf[fact].some(column => {
      const place = columns.get(column)
      return place !== undefined && cells[place]!.trim() !== ''
    }),
  )

/** What nobody has told, as a report says it. */
export const untoldFacts: Record<ImportFact, string> = {
  device: 'what device a visitor had',
  channel: 'what brought a visitor to the shop',
  referrer: 'which site led a visitor to the shop',
  country: 'which country a visitor was in',
  visitors: 'whether a visitor had been there before',
}
