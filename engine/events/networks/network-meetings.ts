import type { ArmIndex, PerArm } from '../../../domain/arm.ts'
import { stage } from '../../../domain/events/event.ts'
import { armsRule, fewestDoubtful } from '../../../domain/events/network-arms.ts'
import { hourOf, networkRule } from '../../../domain/events/network-rule.ts'
import { assign } from '../../../domain/tests/assignment.ts'
import { rows as query } from '../../db/raw.ts'
import type { Statement } from '../../db/together.ts'
import type { Trx } from '../../db/types.ts'
import type { AggregatedStore } from '../aggregate.ts'
import { armBit } from '../fold/visitor-state.ts'
import { type EventRow, setAside } from '../fold/event-rows.ts'
import type { Fresh } from './network-hours.ts'

/** A visitor in a test. */
type InTest = { storeId: string; testId: string; visitor: string }
/** A visitor's first exposure to a test, with the visitor's network and arm. */
export type Meeting = Fresh & { testId: string; arm: ArmIndex }
/**
 * A change of how many of a network's visitors are in an arm: `by` more, or fewer if it is
 * negative. `at`: when they met the test (milliseconds).
 */
export type ArmChange = Pick<Meeting, 'storeId' | 'testId' | 'network' | 'arm' | 'at'> & {
  by: number
}
/** How many visitors per arm a network brought to a test in the last 48 hours. */
export type NetworkArms = {
  storeId: string
  testId: string
  network: string
  at: number
  arms: PerArm<number>
}

const keyOf = ({ storeId, testId, visitor }: InTest) => `${storeId} ${testId} ${visitor}`

/**
 * Finds in these rows the first exposures, and the visitors that a row takes out of a test's
 * figures: bots, and visitors who met both arms.
 */
export function meetingsIn(
  rows: readonly EventRow[],
  storeOf: (storeId: string) => AggregatedStore,
): { met: Meeting[]; leaving: InTest[] } {
  const met = new Map<string, Meeting>(),
    leaving = new Map<string, InTest>()
  const looked = new Set<EventRow['visit']>()
  for (const { visit, kind, tests, setAside: reason } of rows) {
    const { storeId, visitor, network, received: at } = visit
    const { tests: known } = storeOf(storeId)
    const leave = (testId: string) => {
      const one = { storeId, testId, visitor }
      leaving.set(keyOf(one), one)
    }
    if (reason === setAside.farOff) continue
    if (!looked.has(visit)) {
      looked.add(visit)
      for (const [testId, [arm, stages]] of Object.entries(visit.claims)) {
        const test = known.get(testId)
        const isOther =
          (stages & (stage.applied | stage.exposed)) !== 0 &&
          test !== undefined &&
          assign(testId, visitor, test.weights) !== arm
        if (visit.isBot || isOther) leave(testId)
      }
    }
    // These conditions must be the same as in fold-rows.ts. A visitor who stays in the figures but
    // loses the meeting would be missing in the network's counts.
    if (reason === setAside.otherArm)
      for (const id of tests ?? []) {
        if (visit.claims[id]) leave(id)
      }
    else if (visit.isBot && !reason && kind !== 'vitals') for (const id of tests ?? []) leave(id)
    if (kind !== 'exposure' || reason || visit.isBot || !network || at === undefined) continue
    for (const testId of tests ?? []) {
      const test = known.get(testId)
      if (!test) continue
      const one = { storeId, testId, visitor }
      if (!met.has(keyOf(one)))
        met.set(keyOf(one), {
          ...one,
          network,
          at,
          arm: assign(testId, visitor, test.weights),
        })
    }
  }
  return {
    met: [...met].filter(([key]) => !leaving.has(key)).map(([, one]) => one),
    leaving: [...leaving.values()],
  }
}

export type MetRow = { store_id: string; test_id: string; visitor_id: string }

/**
 * Stores the meetings of visitors who are new to a test and counted there, and returns these
 * meetings.
 */
export const addMeetings = (met: readonly Meeting[]): Statement => ({
  name: 'met',
  text: `
    insert into network_meetings (store_id, test_id, visitor_id, network, arm, met_at)
    select n.store_id, n.test_id, n.visitor_id, n.network, n.arm, to_timestamp(n.at / 1000)
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::smallint[], $6::smallint[], $7::float8[]) n(store_id, test_id, visitor_id, network, arm, bit, at)
    where (select true from test_visitors v where v.store_id = n.store_id and v.test_id = n.test_id and v.visitor_id = n.visitor_id
        and (v.first_exposed_at is not null or v.is_bot or v.seen & ~n.bit <> 0)) is null
      and (select true from visitors_aside a where a.store_id = n.store_id and a.visitor_id = n.visitor_id) is null
    on conflict do nothing returning store_id, test_id, visitor_id, network, met_at`,
  values: [
    met.map(m => m.storeId),
    met.map(m => m.testId),
    met.map(m => m.visitor),
    met.map(m => m.network),
    met.map(m => m.arm),
    met.map(m => armBit(m.arm)),
    met.map(m => m.at),
  ],
})

/** Those of these meetings that `addMeetings` returned. */
export function addedOf(met: readonly Meeting[], added: readonly MetRow[]): Meeting[] {
  const keys = new Set(
    added.map(row =>
      keyOf({ storeId: row.store_id, testId: row.test_id, visitor: row.visitor_id }),
    ),
  )
  return met.filter(one => keys.has(keyOf(one)))
}

/**
 * Deletes the meetings of visitors who left a test's figures. Otherwise a forger could send
 * visitors in both arms and then take one arm's visitors back. Returns the changes of the arm
 * counts.
 */
export async function dropMeetings(trx: Trx, leaving: readonly InTest[]): Promise<ArmChange[]> {
  if (leaving.length === 0) return []
  const gone = await query<{
    storeId: string
    testId: string
    network: string
    arm: ArmIndex
    at: number
  }>(
    trx,
    `
    delete from network_meetings m using unnest($1::uuid[], $2::uuid[], $3::text[]) k(store_id, test_id, visitor_id)
    where m.store_id = k.store_id and m.test_id = k.test_id and m.visitor_id = k.visitor_id
    returning m.store_id as "storeId", m.test_id as "testId", m.network, m.arm, extract(epoch from m.met_at)::float8 * 1000 as at`,
    [leaving.map(l => l.storeId), leaving.map(l => l.testId), leaving.map(l => l.visitor)],
  )
  return gone.map(one => ({ ...one, by: -1 }))
}

export type ArmsRow = {
  storeId: string
  testId: string
  network: string
  control: number
  variant: number
}

/**
 * Updates the hourly counts per arm. `armsIn` says how many visitors these networks brought to
 * these tests in the 48 hours that end at `now` (milliseconds), from what the statements `asked`
 * return: the counts before the update.
 */
export function countArms(
  changes: readonly ArmChange[],
  now: number,
): { statements: Statement[]; armsIn: (before: readonly ArmsRow[]) => NetworkArms[] } {
  const since = now - networkRule.kept
  const hours = new Map<string, ArmChange & { hour: number; arms: [number, number] }>(),
    pairs = new Map<string, ArmChange & { arms: [number, number] }>()
  for (const change of changes) {
    const pair = pairOf(change),
      hour = hourOf(change.at),
      key = `${pair} ${hour}`
    const known = hours.get(key) ?? { ...change, hour, arms: [0, 0] },
      all = pairs.get(pair) ?? { ...change, arms: [0, 0] }
    known.arms[change.arm] += change.by
    if (hour > since) all.arms[change.arm] += change.by
    hours.set(key, known)
    pairs.set(pair, all)
  }
  const list = [...hours.values()],
    asked = [...pairs.values()]
  return {
    statements: [
      {
        name: 'arms_counted',
        text: `
    insert into network_arms as a (store_id, test_id, network, hour, control, variant)
    select store_id, test_id, network, to_timestamp(hour / 1000), control, variant from unnest($1::uuid[], $2::uuid[], $3::text[], $4::float8[], $5::int[], $6::int[]) n(store_id, test_id, network, hour, control, variant)
    on conflict (store_id, test_id, network, hour) do update set control = a.control + excluded.control, variant = a.variant + excluded.variant`,
        values: [
          list.map(h => h.storeId),
          list.map(h => h.testId),
          list.map(h => h.network),
          list.map(h => h.hour),
          list.map(h => h.arms[0]),
          list.map(h => h.arms[1]),
        ],
      },
      {
        name: 'arms',
        text: `
    select k.store_id as "storeId", k.test_id as "testId", k.network, a.control, a.variant from unnest($1::uuid[], $2::uuid[], $3::text[]) k(store_id, test_id, network),
      lateral (select coalesce(sum(control), 0)::int as control, coalesce(sum(variant), 0)::int as variant from network_arms a
        where a.store_id = k.store_id and a.test_id = k.test_id and a.network = k.network and a.hour > to_timestamp($4::float8 / 1000)) a`,
        values: [
          asked.map(p => p.storeId),
          asked.map(p => p.testId),
          asked.map(p => p.network),
          since,
        ],
      },
    ],
    armsIn: before =>
      before.map(({ control, variant, ...pair }) => {
        const [controls, variants] = pairs.get(pairOf(pair))!.arms
        return {
          ...pair,
          at: now,
          arms: [Math.max(0, control + controls), Math.max(0, variant + variants)],
        }
      }),
  }
}

const pairOf = ({ storeId, testId, network }: Pick<ArmChange, 'storeId' | 'testId' | 'network'>) =>
  `${storeId} ${testId} ${network}`

/**
 * The visitors per arm of the networks that may be doubtful among those that brought visitors to
 * this test in the 48 hours that end at `at` (milliseconds), and how many of any kind did
 * (`oneSidedTogether`; 0 if none may be doubtful). Leaves out networks that are set aside or that a
 * person decided about. Returns few rows even if a forger used thousands of networks.
 */
export async function armsOf(
  trx: Trx,
  { storeId, testId, at: now }: Pick<NetworkArms, 'storeId' | 'testId' | 'at'>,
  weights: PerArm<number>,
): Promise<{ networks: { network: string; arms: PerArm<number> }[]; all: number }> {
  const found = await query<{ network: string; control: number; variant: number; all: number }>(
    trx,
    `
    with each as (
      select network, greatest(sum(control), 0)::int as control, greatest(sum(variant), 0)::int as variant from network_arms a
      where store_id = $1 and test_id = $2 and hour > to_timestamp($3::float8 / 1000)
        and not exists (select from network_decisions d where d.store_id = a.store_id and d.network = a.network
          and (d.kind = 'setAside' or d.decided_by <> 'rule') and d.until > to_timestamp($4::float8 / 1000))
      group by network)
    select network, control, variant, (select count(*)::int from each) as "all" from (
      select *, row_number() over (partition by control, variant order by network) as same from each where control + variant >= $5) e
    where same <= $6`,
    [storeId, testId, now - networkRule.kept, now, fewestDoubtful(weights), armsRule.size],
  )
  return {
    networks: found.map(({ network, control, variant }) => ({ network, arms: [control, variant] })),
    all: found[0]?.all ?? 0,
  }
}
