import type { ArmIndex, PerArm } from '../arm.ts'
import { channelLabels, channels } from '../events/channel.ts'
import { deviceLabels, devices } from '../device.ts'
import { type OrderWay, wayWords } from '../orders/order-visitor.ts'
import { whyLeftOut } from '../tests/exclusion-words.ts'
import type { Cell } from './export.ts'
import { decimalMoney } from '../money.ts'
import type { Exclusion } from './summary.ts'

const typeWords: Record<string, string> = {
  oneTime: 'one-time',
  subscription: 'subscription',
  renewal: 'renewal',
}

/** An order of a test's ledger, as the export has it. */
export type ExportedOrder = {
  name: string
  /** In the shop's time zone: 2026-11-10 09:00:00. */
  created: string
  arm: ArmIndex
  /** Why the order is left out; null when it counts in the arm. */
  reason: Exclusion | null
  /** How the visitor is known; null for an order of an imported file. */
  way: OrderWay | null
  /** Null when the plan does not open subscription reporting. */
  type: string | null
  /** Minor units. */
  amount: number
  refunded: number
  /** Indexes in the lists of device.ts and channel.ts; null when the visitor is unknown. */
  device: number | null
  channel: number | null
  isNew: boolean | null
  /** Two letters, as the edge told us. */
  country: string | null
  /** The visitor's first exposure, in the shop's time zone. */
  met: string | null
  lines: { title: string; quantity: number }[] | null
}

export const orderHeader = [
  'Order',
  'Created',
  'Arm',
  'Name of arm',
  'Counted',
  'Left out because',
  'Type',
  'Amount',
  'Refunded',
  'Currency',
  'Device',
  'Channel',
  'Visitor',
  'Country',
  'Met the test',
  'Items',
  'Products',
  'Visitor known by',
]

export function orderRow(order: ExportedOrder, currency: string, titles: PerArm<string>): Cell[] {
  const { arm, reason, device, channel, isNew, country, met, lines } = order
  const money = (minor: number): Cell => ({ plain: decimalMoney(minor, currency) })
  return [
    order.name,
    order.created,
    reason ? null : ['Control', 'Variant'][arm]!,
    reason ? null : titles[arm],
    reason ? 'no' : 'yes',
    reason && whyLeftOut(reason, { showsTypes: order.type !== null, place: 'file' }),
    order.type && (typeWords[order.type] ?? order.type),
    money(order.amount),
    money(order.refunded),
    currency,
    device === null ? null : deviceLabels[devices[device]!],
    channel === null ? null : channelLabels[channels[channel]!],
    isNew === null ? null : isNew ? 'new' : 'returning',
    country,
    met,
    lines && lines.reduce((sum, line) => sum + line.quantity, 0),
    lines && lines.map(line => `${line.quantity} × ${line.title}`).join('; '),
    order.way && wayWords[order.way],
  ]
}
