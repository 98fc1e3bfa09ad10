import * as Type from 'typebox'
import type { ListTab } from './ab-test.ts'
import { day } from '../time-units.ts'

const Ids = Type.Array(Type.String())
/** Over all tests of a store, whatever the list shows: what waits for the merchant. */
export const ListDigest = Type.Object({
  /** Running tests by their verdict, the oldest verdict first; `undecided` have none yet. */
  winners: Ids,
  losers: Ids,
  undecided: Ids,
  /** Tests the system has stopped. */
  onHold: Ids,
  suspended: Ids,
  /** Ended winners that were never applied and can be, the latest first; 20 at most. */
  unapplied: Type.Array(Type.Object({ id: Type.String(), endedAt: Type.String() })),
})
export type ListDigest = Type.Static<typeof ListDigest>

/** Whoever has not applied a winner this long after its end does not want to, or has done it by hand. Days. */
export const unappliedDays = 30
/** So many ended winners are looked at. */
export const maxUnapplied = 20

export type DigestLine = {
  kind: 'winner' | 'loser' | 'onHold' | 'suspended' | 'undecided'
  count: number
  /** After the count: "winner to apply". */
  words: string
  /** The report of this test, or the list of several with the clearest first. */
  test: string | null
  tab: ListTab
  order: 'best' | 'worst' | null
}

/** What waits for the merchant, the most urgent first. Empty when nothing does. */
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
