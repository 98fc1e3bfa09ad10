import type { Touched } from '../fold/states.ts'
import { rows as query } from '../../db/raw.ts'
import type { Statement } from '../../db/together.ts'
import type { Trx } from '../../db/types.ts'
import type { VisitorState } from '../fold/visitor-state.ts'

export type StateRow = {
  store_id: string
  test_id: string
  visitor_id: string
  arm: 0 | 1
  stages: number
  seen: number
  is_bot: boolean
  is_aside: boolean
  is_new: boolean | null
  device: 0 | 1 | 2 | null
  session_id: string | null
  channel: number | null
  referrer: string | null
  country: string | null
  consented: boolean | null
  first: number | null
  click: number | null
  cart: number | null
}

export type StoredState = { storeId: string; state: VisitorState }
type Visitors = readonly { storeId: string; visitor: string }[]

/** The stored states of these visitors, in each test that they are in. */
export async function readStates(trx: Trx, visitors: Visitors): Promise<StoredState[]> {
  if (visitors.length === 0) return []
  const { text, values } = statesOf(visitors)
  return statesIn(await query<StateRow>(trx, text, values))
}

/** Finds the states of these visitors, in each test that they are in. */
export const statesOf = (visitors: Visitors): Statement => ({
  name: 'known',
  // The lateral join makes the planner use the index, even for a table that was never analysed.
  text: `
    select v.store_id, v.test_id, v.visitor_id, v.arm, v.stages, v.seen, v.is_bot, v.is_aside, v.is_new, v.device, v.session_id, v.channel, v.referrer, v.country, v.consented,
      extract(epoch from v.first_exposed_at)::float8 * 1000 as first, extract(epoch from v.last_click_at)::float8 * 1000 as click, extract(epoch from v.last_cart_at)::float8 * 1000 as cart
    from unnest($1::uuid[], $2::text[]) k(store_id, visitor_id),
      lateral (select * from test_visitors v where v.store_id = k.store_id and v.visitor_id = k.visitor_id offset 0) v`,
  values: [visitors.map(v => v.storeId), visitors.map(v => v.visitor)],
})

export function statesIn(found: readonly StateRow[]): StoredState[] {
  return found.map(row => ({
    storeId: row.store_id,
    state: {
      testId: row.test_id,
      visitor: row.visitor_id,
      arm: row.arm,
      stages: row.stages,
      seen: row.seen,
      isBot: row.is_bot,
      isAside: row.is_aside,
      first:
        row.first === null
          ? null
          : {
              at: Math.round(row.first),
              session: row.session_id ?? '',
              device: row.device!,
              isNew: row.is_new!,
              channel: row.channel ?? 0,
              referrer: row.referrer ?? '',
              country: row.country,
              hasConsented: row.consented ?? false,
            },
      lastClickAt: row.click === null ? null : Math.round(row.click),
      lastCartAt: row.cart === null ? null : Math.round(row.cart),
    },
  }))
}

/** Stores the visitors' states after the batch. */
export function writeStates(touched: Touched[]): Statement[] {
  if (touched.length === 0) return []
  const states = touched.map(({ after }) => after)
  return [
    {
      name: 'states',
      text: `
    insert into test_visitors (store_id, test_id, visitor_id, arm, stages, seen, is_bot, is_aside, is_new, device, session_id, channel, referrer, country, consented, first_exposed_at, last_click_at, last_cart_at)
    select store_id, test_id, visitor_id, arm, stages, seen, is_bot, is_aside, is_new, device, session_id, channel, referrer, country, consented, to_timestamp(first / 1000), to_timestamp(click / 1000), to_timestamp(cart / 1000)
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::smallint[], $5::smallint[], $6::smallint[], $7::boolean[], $8::boolean[], $9::smallint[], $10::text[], $11::smallint[], $12::text[], $13::text[], $14::boolean[], $15::float8[], $16::float8[], $17::float8[], $18::boolean[])
      as n(store_id, test_id, visitor_id, arm, stages, seen, is_bot, is_new, device, session_id, channel, referrer, country, consented, first, click, cart, is_aside)
    on conflict (store_id, test_id, visitor_id) do update set stages = excluded.stages, seen = excluded.seen, is_bot = excluded.is_bot, is_aside = excluded.is_aside, is_new = excluded.is_new,
      device = excluded.device, session_id = excluded.session_id, channel = excluded.channel, referrer = excluded.referrer, country = excluded.country, consented = excluded.consented,
      first_exposed_at = excluded.first_exposed_at, last_click_at = excluded.last_click_at, last_cart_at = excluded.last_cart_at`,
      values: [
        touched.map(({ store }) => store.id),
        states.map(s => s.testId),
        states.map(s => s.visitor),
        states.map(s => s.arm),
        states.map(s => s.stages),
        states.map(s => s.seen),
        states.map(s => s.isBot),
        states.map(s => s.first?.isNew ?? null),
        states.map(s => s.first?.device ?? null),
        states.map(s => s.first?.session ?? null),
        states.map(s => s.first?.channel ?? null),
        states.map(s => s.first?.referrer ?? null),
        states.map(s => s.first?.country ?? null),
        states.map(s => s.first?.hasConsented || null),
        states.map(s => s.first?.at ?? null),
        states.map(s => s.lastClickAt),
        states.map(s => s.lastCartAt),
        states.map(s => s.isAside),
      ],
    },
  ]
}
