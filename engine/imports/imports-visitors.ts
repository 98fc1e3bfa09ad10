import { createHash } from 'node:crypto'
import type { ArmIndex, PerArm } from '../../domain/arm.ts'
import { assign } from '../../domain/tests/assignment.ts'
import { type Beacon, type EventKind, sessionSilence, stage } from '../../domain/events/event.ts'
import type { ImportRow } from '../../domain/imports/import-row.ts'
import { importedPrefix } from '../../domain/imports/imported.ts'
import type { OrderLine } from '../platform/adapter.ts'
import type { Delivery } from '../events/ingest-lane.ts'
import { armBit } from '../events/fold/visitor-state.ts'

/** An order as the file describes it. Amounts are in minor units. */
export type ImportedOrder = {
  id: string
  name: string
  visitor: string
  at: number
  amount: number
  refunded: number
  lines: OrderLine[]
}
export type ImportedVisitor = { deliveries: Delivery[]; orders: ImportedOrder[] }
type Test = { id: string; weights: PerArm<number> }

/**
 * What we know about a visitor that an earlier file put into the test. `arms`: the arms they met,
 * as bits. `inferredAt`: the time of their first row in milliseconds, if nothing else says that
 * they met their arm; otherwise null.
 */
export type Met = { arms: number; inferredAt: number | null }

const allStages = stage.assigned | stage.applied | stage.exposed
const hashOf = (...parts: (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 27)

/**
 * The two ids that we can give to a visitor of the file: the hash puts the first into control, the
 * second into the variant.
 */
export function visitorIds(test: Test, visitor: string): PerArm<string> {
  const base = `${importedPrefix}${hashOf(test.id, visitor)}`
  const inArm = (arm: ArmIndex): string => {
    for (let n = 0; ; n++) {
      const id = `${base}-${n}`
      if (assign(test.id, id, test.weights) === arm) return id
    }
  }
  return [inArm(0), inArm(1)]
}

/**
 * The arm of a visitor: that of their first exposure, or of their first row if they have no
 * exposure.
 */
export const wantedArm = (rows: readonly ImportRow[]): ArmIndex =>
  (rows.find(({ event }) => event === 'exposure') ?? rows[0]!).arm

/**
 * Turns a visitor's rows, in their order, into the beacons and orders that we would have received.
 * Rows of the other arm become beacons that claim that arm: our own rules then set them aside and
 * leave the visitor out. In an arm without an exposure, in this file or an earlier one, the first
 * row counts as an exposure.
 */
export function visitorOf(
  test: Test,
  visitor: string,
  rows: readonly ImportRow[],
  shop: string,
  met?: Met,
): ImportedVisitor {
  const single = withoutRepeats(test, rows)
  const acts: Act[] = [],
    ownArm = assign(test.id, visitor, test.weights)
  const hasMet = (arm: ArmIndex, at: number) =>
    met !== undefined &&
    (met.arms & armBit(arm)) !== 0 &&
    !(arm === ownArm && met.inferredAt !== null && at < met.inferredAt)
  for (const arm of [0, 1] as const) {
    const own = single.filter(({ row }) => row.arm === arm)
    if (
      own.length > 0 &&
      !own.some(({ row }) => row.event === 'exposure') &&
      !hasMet(arm, own[0]!.row.at)
    )
      acts.push({
        row: own[0]!.row,
        kind: 'exposure',
        id: inferredId(test, own[0]!.row.visitor, arm, own[0]!.row.at),
      })
    for (const { row, id } of own)
      if (row.event !== 'purchase' && row.event !== 'refund')
        acts.push({ row, kind: row.event, id })
  }
  // An exposure comes before other acts of the same instant.
  acts.sort(
    (a, b) => a.row.at - b.row.at || Number(b.kind === 'exposure') - Number(a.kind === 'exposure'),
  )
  return {
    deliveries: sessionsOf(acts).flatMap(session => deliveriesOf(test, visitor, session, shop)),
    orders: ordersOf(test, visitor, single),
  }
}

/**
 * The id of the exposure that we infer from a visitor's first row in an arm. `visitor`: their name
 * in the file.
 */
export const inferredId = (test: Test, visitor: string, arm: ArmIndex, at: number): string =>
  `${importedPrefix}${hashOf(test.id, visitor, arm, 'met', at)}`

type Act = { row: ImportRow; kind: EventKind; id: string }
type Single = { row: ImportRow; id: string }

/**
 * Removes equal rows. A row's id is a hash of its content, so that the same file can be imported
 * again.
 */
function withoutRepeats(test: Test, rows: readonly ImportRow[]): Single[] {
  const found = new Map<string, Single>()
  for (const row of rows) {
    const id = `${importedPrefix}${hashOf(test.id, row.visitor, row.arm, row.at, row.event, row.value, row.order, row.product, row.quantity)}`
    if (!found.has(id)) found.set(id, { row, id })
  }
  return [...found.values()]
}

function sessionsOf(acts: readonly Act[]): Act[][] {
  const sessions: Act[][] = []
  for (const act of acts) {
    const last = sessions.at(-1)
    if (last && act.row.at - last.at(-1)!.row.at <= sessionSilence) last.push(act)
    else sessions.push([act])
  }
  return sessions
}

/**
 * One beacon for each arm that the session's rows name. It counts as received at the session's last
 * act, so that no event is late.
 */
function deliveriesOf(
  test: Test,
  visitor: string,
  session: readonly Act[],
  shop: string,
): Delivery[] {
  const name = `${importedPrefix}${hashOf(test.id, visitor, session[0]!.row.at)}`,
    received = session.at(-1)!.row.at
  return ([0, 1] as const).flatMap((arm): Delivery[] => {
    const own = session.filter(({ row }) => row.arm === arm)
    if (own.length === 0) return []
    const { row } = own.find(({ kind }) => kind === 'exposure') ?? own[0]!
    const beacon: Beacon = {
      v: 1,
      shop,
      visitor,
      session: name,
      sent: received,
      isNew: true,
      landing: row.landing,
      referrer: row.referrer,
      tests: { [test.id]: [arm, allStages] },
      events: own.map(act => ({
        id: act.id,
        at: act.row.at,
        kind: act.kind,
        path: '/',
        ...((act.kind === 'exposure' || act.kind === 'click') && { tests: [test.id] }),
        ...(act.row.product &&
          (act.kind === 'view' || act.kind === 'cart') && { product: act.row.product }),
      })),
    }
    return [
      {
        beacon,
        arrival: { received, device: row.device, isBot: false, country: row.country || null },
      },
    ]
  })
}

/**
 * Purchases that name the same order are lines of that order. A refund belongs to the order it
 * names, otherwise to the latest order before it.
 */
function ordersOf(test: Test, visitor: string, rows: readonly Single[]): ImportedOrder[] {
  const orders = new Map<string, ImportedOrder>()
  for (const { row, id } of rows) {
    if (row.event !== 'purchase') continue
    const key = row.order ? `named ${row.order}` : id
    let order = orders.get(key)
    if (!order)
      orders.set(
        key,
        (order = {
          id: row.order ? `${importedPrefix}${hashOf(test.id, visitor, row.order)}` : id,
          name: row.order || 'Imported',
          visitor,
          at: row.at,
          amount: 0,
          refunded: 0,
          lines: [],
        }),
      )
    order.amount += row.value
    if (row.product)
      order.lines.push({
        productId: row.product,
        variantId: row.product,
        title: row.product,
        quantity: row.quantity,
        amount: row.value,
        isSubscription: false,
      })
  }
  const all = [...orders.values()]
  // Rows and orders are in the order of their time, so one walk meets the latest order of each.
  let begun = 0
  for (const { row } of rows) {
    if (row.event !== 'refund') continue
    while (begun < all.length && all[begun]!.at <= row.at) begun++
    const order = row.order ? orders.get(`named ${row.order}`) : all[begun - 1]
    if (order) order.refunded += row.value
  }
  return all
}
