import { cyclePeriod, type RecordedVisitors, recordedKey } from '../fold/periods.ts'
import { visitorKey } from '../fold/sessions.ts'
import type { Aside } from '../fold/states.ts'
import { isImported } from '../../../domain/imports/imported.ts'
import type { AggregatedStore } from '../aggregate.ts'
import { rows as query } from '../../db/raw.ts'
import { type EventRow, setAside } from '../fold/event-rows.ts'
import type { Fresh } from './network-hours.ts'
import { judge } from './network-judge.ts'
import { addMeetings, dropMeetings, meetingsIn } from './network-meetings.ts'
import { asideAmong } from '../store/visitors-aside.ts'
import type { Trx } from '../../db/types.ts'

/**
 * Stores the networks of the visitors in these rows who are new to the shop or to a test. Sets
 * visitors aside if their network brings far more visitors than is usual
 * (domain/events/network-rule.ts), or brings them to one arm alone (network-arms.ts). Returns which
 * of the rows' visitors are set aside, and for which of them that is new. The caller must hold the
 * stores' locks and call this before the rows are counted.
 */
export async function noteNetworks(
  trx: Trx,
  rows: EventRow[],
  storeOf: (storeId: string) => AggregatedStore,
  recorded?: RecordedVisitors,
): Promise<Aside> {
  const visits = new Map<string, EventRow['visit']>()
  const lasting: EventRow[] = []
  for (const row of rows) {
    const { visit, setAside: reason } = row
    if (reason === setAside.farOff || isImported(visit.visitor)) continue
    lasting.push(row)
    if (visit.isBot) continue
    const key = visitorKey(visit.storeId, visit.visitor)
    if (!visits.has(key)) visits.set(key, visit)
  }
  const fresh = await addFresh(trx, [...visits.values()], storeOf, recorded)
  const { met, leaving } = meetingsIn(lasting, storeOf)
  const left = await dropMeetings(trx, leaving),
    meetings = await addMeetings(trx, met)
  const changed = await judge(
    trx,
    { fresh, meetings, left },
    storeOf,
    new Set(rows.map(row => row.id)),
  )
  const known = new Map<string, { storeId: string; visitor: string }>()
  for (const {
    visit: { storeId, visitor },
  } of rows)
    known.set(visitorKey(storeId, visitor), { storeId, visitor })
  const aside = await asideAmong(trx, [...known.values(), ...changed])
  return { has: (storeId, visitor) => aside.has(visitorKey(storeId, visitor)), changed }
}

/**
 * Stores the network of visitors that the shop has not seen in this billing cycle or the one
 * before. Returns these visitors.
 */
async function addFresh(
  trx: Trx,
  visits: EventRow['visit'][],
  storeOf: (storeId: string) => AggregatedStore,
  recorded?: RecordedVisitors,
): Promise<Fresh[]> {
  const found = visits.flatMap(({ storeId, visitor, network, received: at }) => {
    if (!network || at === undefined) return []
    const anchor = storeOf(storeId).cycleAnchor,
      cycle = cyclePeriod(anchor, at)
    return recorded?.has(recordedKey(storeId, cycle, visitor))
      ? []
      : [
          {
            storeId,
            visitor,
            network,
            at,
            cycle,
            before: cyclePeriod(anchor, Date.parse(cycle.slice(cycle.indexOf(':') + 1)) - 1),
          },
        ]
  })
  if (found.length === 0) return []
  const added = await query<{ store_id: string; visitor_id: string }>(
    trx,
    `
    insert into network_visitors (store_id, visitor_id, network, seen_at)
    select n.store_id, n.visitor_id, n.network, to_timestamp(n.at / 1000) from unnest($1::uuid[], $2::text[], $3::text[], $4::float8[], $5::text[], $6::text[]) n(store_id, visitor_id, network, at, cycle, before)
    where (select true from store_visitors s where s.store_id = n.store_id and s.period = n.cycle and s.visitor_id = n.visitor_id) is null
      and (select true from store_visitors s where s.store_id = n.store_id and s.period = n.before and s.visitor_id = n.visitor_id) is null
      and not exists (select from network_visitors k where k.store_id = n.store_id and k.visitor_id = n.visitor_id)
    on conflict do nothing returning store_id, visitor_id`,
    [
      found.map(f => f.storeId),
      found.map(f => f.visitor),
      found.map(f => f.network),
      found.map(f => f.at),
      found.map(f => f.cycle),
      found.map(f => f.before),
    ],
  )
  const keys = new Set(added.map(row => visitorKey(row.store_id, row.visitor_id)))
  return found.filter(({ storeId, visitor }) => keys.has(visitorKey(storeId, visitor)))
}
