import { type Statement, askTogether } from '../../db/together.ts'
import type { Trx } from '../../db/types.ts'
import { isImported } from '../../../domain/imports/imported.ts'
import type { AggregatedStore } from '../aggregate.ts'
import { type EventRow, setAside } from '../fold/event-rows.ts'
import { cyclePeriod, type RecordedVisitors, recordedKey } from '../fold/periods.ts'
import { type Sessions, visitorKey } from '../fold/sessions.ts'
import type { Aside, VisitorOf } from '../fold/states.ts'
import { allSessionsIn, type SessionRow, someSessionsOf } from '../store/sessions.ts'
import { type StateRow, statesIn, statesOf, type StoredState } from '../store/states.ts'
import { asideIn, asideOf, type AsideRow } from '../store/visitors-aside.ts'
import { type ZoneRow, zonesIn, zonesOf } from '../time-zone.ts'
import { decisionsOn, type Standing } from './network-decisions.ts'
import type { Fresh } from './network-hours.ts'
import { judge } from './network-judge.ts'
import {
  addedOf,
  addMeetings,
  type ArmChange,
  dropMeetings,
  type Meeting,
  meetingsIn,
  type MetRow,
} from './network-meetings.ts'

/**
 * What the database knows about a batch before it is counted: the stores' time zones of this
 * moment, which visitors are set aside, the states of all its visitors in their tests, and all
 * sessions of those visitors who do not have many.
 */
export type Known = {
  zones: Map<string, string>
  aside: Aside
  states: StoredState[]
  sessions: Map<string, Sessions>
}

/**
 * Stores the networks of the visitors in these rows who are new to the shop or to a test. Sets
 * visitors aside if their network brings far more visitors than is usual
 * (domain/events/network-rule.ts), or brings them to one arm alone (network-arms.ts). The caller
 * must hold the stores' locks and call this before the rows are counted.
 */
export async function noteNetworks(
  trx: Trx,
  rows: EventRow[],
  storeOf: (storeId: string) => AggregatedStore,
  recorded?: RecordedVisitors,
): Promise<Known> {
  const visits = new Map<string, EventRow['visit']>(),
    visitors = new Map<string, VisitorOf>()
  const lasting: EventRow[] = []
  for (const row of rows) {
    const { visit, setAside: reason } = row,
      { storeId, visitor } = visit,
      key = visitorKey(storeId, visitor)
    if (!visitors.has(key)) visitors.set(key, { storeId, visitor })
    if (reason === setAside.farOff || isImported(visitor)) continue
    lasting.push(row)
    if (!visit.isBot && !visits.has(key)) visits.set(key, visit)
  }
  const { met, leaving } = meetingsIn(lasting, storeOf),
    left = await dropMeetings(trx, leaving)
  const { zones, aside, states, sessions, decisions, fresh, meetings } = await look(trx, {
    visitors: [...visitors.values()],
    unknown: unknownIn([...visits.values()], storeOf, recorded),
    met,
    left,
  })
  const changed = await judge(
    trx,
    { fresh, meetings, left },
    decisions,
    storeOf,
    new Set(rows.map(row => row.id)),
  )
  for (const { storeId, visitor } of changed) aside.add(visitorKey(storeId, visitor))
  return {
    zones,
    states,
    sessions,
    aside: { has: (storeId, visitor) => aside.has(visitorKey(storeId, visitor)), changed },
  }
}

/** A visitor that this process has not seen in their usage cycle. */
type Unknown = Fresh & { cycle: string; before: string }

function unknownIn(
  visits: EventRow['visit'][],
  storeOf: (storeId: string) => AggregatedStore,
  recorded?: RecordedVisitors,
): Unknown[] {
  return visits.flatMap(({ storeId, visitor, network, received: at }) => {
    if (!network || at === undefined) return []
    const anchor = storeOf(storeId).cycleAnchor,
      cycle = cyclePeriod(anchor, at)
    if (recorded?.has(recordedKey(storeId, cycle, visitor))) return []
    const before = cyclePeriod(anchor, Date.parse(cycle.slice(cycle.indexOf(':') + 1)) - 1)
    return [{ storeId, visitor, network, at, cycle, before }]
  })
}

/**
 * Stores the networks of visitors who are new to the shop or to a test, and reads what is known of
 * the batch's visitors and networks. It is one statement, because a batch has its round trips in
 * front of every request that waits.
 */
async function look(
  trx: Trx,
  {
    visitors,
    unknown,
    met,
    left,
  }: { visitors: VisitorOf[]; unknown: Unknown[]; met: Meeting[]; left: ArmChange[] },
): Promise<{
  zones: Map<string, string>
  aside: Set<string>
  states: StoredState[]
  sessions: Map<string, Sessions>
  /** The latest decisions about the networks, by `visitorKey`. */
  decisions: Map<string, Standing>
  fresh: Fresh[]
  meetings: Meeting[]
}> {
  const networks = new Map(
    [...unknown, ...met, ...left].map(one => [visitorKey(one.storeId, one.network), one]),
  )
  const found = await askTogether<{
    zones: ZoneRow
    aside: AsideRow
    known: StateRow
    sessions: SessionRow
    decided: Standing
    fresh: { place: number }
    met: MetRow
  }>(
    trx,
    [
      zonesOf([...new Set(visitors.map(({ storeId }) => storeId))]),
      asideOf(visitors),
      statesOf(visitors),
      someSessionsOf(visitors),
      decisionsOn([...networks.values()]),
      freshAmong(unknown),
      addMeetings(met),
      addNetworks,
    ],
    ['zones', 'aside', 'known', 'sessions', 'decided', 'fresh', 'met'],
  )
  return {
    zones: zonesIn(found.zones),
    aside: asideIn(found.aside),
    states: statesIn(found.known),
    sessions: allSessionsIn(visitors, found.sessions),
    decisions: new Map(found.decided.map(row => [visitorKey(row.store_id, row.network), row])),
    fresh: found.fresh.map(({ place }) => unknown[place - 1]!),
    meetings: addedOf(met, found.met),
  }
}

/** Finds the visitors that the shop has not seen in this usage cycle or the one before. */
const freshAmong = (unknown: readonly Unknown[]): Statement => ({
  name: 'fresh',
  text: `
    select n.place, n.store_id, n.visitor_id, n.network, to_timestamp(n.at / 1000) as seen_at
    from unnest($1::uuid[], $2::text[], $3::text[], $4::float8[], $5::text[], $6::text[]) with ordinality n(store_id, visitor_id, network, at, cycle, before, place)
    where (select true from store_visitors s where s.store_id = n.store_id and s.period = n.cycle and s.visitor_id = n.visitor_id) is null
      and (select true from store_visitors s where s.store_id = n.store_id and s.period = n.before and s.visitor_id = n.visitor_id) is null
      and not exists (select from network_visitors k where k.store_id = n.store_id and k.visitor_id = n.visitor_id)`,
  values: [
    unknown.map(f => f.storeId),
    unknown.map(f => f.visitor),
    unknown.map(f => f.network),
    unknown.map(f => f.at),
    unknown.map(f => f.cycle),
    unknown.map(f => f.before),
  ],
})

/**
 * Stores the networks of these visitors. Someone may be new to the shop and to several tests at
 * once, and has one row.
 */
const addNetworks: Statement = {
  name: 'networks',
  text: `
    insert into network_visitors as k (store_id, visitor_id, network, seen_at)
    select store_id, visitor_id, network, max(seen_at) from (
      select store_id, visitor_id, network, seen_at from fresh union all select store_id, visitor_id, network, met_at from met) n group by 1, 2, 3
    on conflict (store_id, visitor_id, network) do update set seen_at = greatest(k.seen_at, excluded.seen_at)`,
  values: [],
}
