import type { Breakdown } from '../reports/breakdown.ts'
import type { ImportColumn } from './import-row.ts'

/**
 * Facts about visitors that reports show but the file of a past experiment may lack. No file says
 * whether a visitor is new or returning.
 */
export const importFacts = [
  'device',
  'channel',
  'referrer',
  'country',
  'visitors',
] as const satisfies readonly Breakdown[]
export type ImportFact = (typeof importFacts)[number]

/**
 * The columns of each fact; one of them is enough. `utm_campaign` is not listed, because a campaign
 * without a source gives no channel.
 */
const columnsOf: Record<ImportFact, readonly ImportColumn[]> = {
  device: ['device'],
  channel: ['channel', 'utm_source', 'utm_medium', 'referrer'],
  referrer: ['referrer'],
  country: ['country'],
  visitors: [],
}
/** The facts that a row contains. An empty cell contains none. */
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

/** Words for a missing fact in a report. */
export const untoldFacts: Record<ImportFact, string> = {
  device: 'what device a visitor had',
  channel: 'what brought a visitor to the shop',
  referrer: 'which site led a visitor to the shop',
  country: 'which country a visitor was in',
  visitors: 'whether a visitor had been there before',
}
