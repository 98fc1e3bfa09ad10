import * as Type from 'typebox'
import type { ListTab } from './ab-test.ts'
import { day } from '../time-units.ts'

const Ids = Type.Array(Type.String())
/**
 * What waits for the merchant: ids of all tests of a store, regardless of the list's tab and
 * filters.
 */
export const ListDigest = Type.Object({
  /** Running tests by their verdict, the oldest verdict first. `undecided`: no verdict yet. */
  winners: Ids,
  losers: Ids,
  undecided: Ids,
  /** Tests that the system has stopped. */
  onHold: Ids,
  suspended: Ids,
  /** Ended winners that were never applied but can be, the latest first; at most 20. */
  unapplied: Type.Array(Type.Object({ id: Type.String(), endedAt: Type.String() })),
})
export type ListDigest = Type.Static<typeof ListDigest>

/**
 * After this number of days an ended winner is no longer mentioned: the merchant does not want to
 * apply it, or has done it by hand.
 */
export const unappliedDays = 30
/** Maximum number of ended winners in the digest. */
export const maxUnapplied = 20

export type DigestLine = {
  kind: 'winner' | 'loser' | 'onHold' | 'suspended' | 'undecided'
  count: number
  /** The words after the count: "winner to apply". */
  words: string
  /**
   * `test`: id of the only test, to link to its report. With several it is null, and the link goes
   * to the list: `tab`, sorted by `order`.
   */
  test: string | null
  tab: ListTab
  order: 'best' | 'worst' | null
}

/** The lines of the digest, the most urgent first. Empty when nothing waits for the merchant. */
export function digestLines(
  { winners, losers, undecided, onHold, suspended, unapplied }: ListDigest,
  now: Date,
): DigestLine[] {
  const since = now.getTime() - unappliedDays * day
  const ended = unapplied.filter(({ endedAt }) => Date.parse(endedAt) >= since).map(({ id }) => id)
  const [running, over] = winners.length > 0 && ended.length > 0 ? ['running ', 'ended '] : ['', '']
  const line = (
    kind: DigestLine['kind'],
    ids: readonly string[],
    tab: ListTab,
    one: string,
    many: string,
    order: DigestLine['order'] = null,
  ): DigestLine => ({
    kind,
    count: ids.length,
    words: ids.length === 1 ? one : many,
    test: ids.length === 1 ? ids[0]! : null,
    tab,
    order,
  })
  return [
    line('suspended', suspended, 'Suspended', 'test suspended', 'tests suspended'),
    line('onHold', onHold, 'OnHold', 'test on hold', 'tests on hold'),
    line(
      'winner',
      winners,
      'Active',
      `${running}winner to apply`,
      `${running}winners to apply`,
      'best',
    ),
    line('winner', ended, 'Ended', `${over}winner to apply`, `${over}winners to apply`, 'best'),
    line('loser', losers, 'Active', 'loser to end', 'losers to end', 'worst'),
    line('undecided', undecided, 'Active', 'needs more time', 'need more time'),
  ].filter(({ count }) => count > 0)
}
