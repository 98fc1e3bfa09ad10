import type { ArmIndex } from '../arm.ts'
import type { Channel } from '../events/channel.ts'
import { channels } from '../events/channel.ts'
import { type DeviceIndex, devices } from '../device.ts'
import { minorFromDecimal } from '../money.ts'
import { instantOf } from '../stores/shop-time.ts'
import { minute as minuteLength } from '../time-units.ts'

/**
 * The columns of a file of a past experiment: UTF-8 CSV with a header, one row for each event of a
 * visitor.
 */
export const importColumns = [
  'visitor',
  'arm',
  'time',
  'event',
  'value',
  'order',
  'product',
  'quantity',
  'device',
  'channel',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'referrer',
  'country',
] as const
export type ImportColumn = (typeof importColumns)[number]
export const requiredColumns = ['visitor', 'arm', 'time', 'event'] as const satisfies ImportColumn[]
const otherNames: Record<string, ImportColumn> = {
  order_id: 'order',
  product_id: 'product',
  visitor_id: 'visitor',
  timestamp: 'time',
}

export const importEvents = [
  'exposure',
  'view',
  'click',
  'cart',
  'checkout',
  'purchase',
  'refund',
] as const
export type ImportEvent = (typeof importEvents)[number]
const eventNames: Record<string, ImportEvent> = {
  ...Object.fromEntries(importEvents.map(name => [name, name])),
  order: 'purchase',
  page_view: 'view',
  add_to_cart: 'cart',
}
const armNames: Record<string, ArmIndex> = { control: 0, variant: 1, '0': 0, '1': 1, a: 0, b: 1 }

/** Rows of one visitor in a file. They are written together, while everybody else waits. */
export const maxVisitorRows = 1_000

/**
 * `at` in milliseconds, `value` in minor units of the shop's currency. Texts that the file does not
 * give are empty.
 */
export type ImportRow = {
  visitor: string
  arm: ArmIndex
  at: number
  event: ImportEvent
  value: number
  order: string
  product: string
  quantity: number
  device: DeviceIndex
  landing: string
  referrer: string
  country: string
}
/** The header is line 1. `column` is null when the whole row is wrong. */
export type ImportProblem = { line: number; column: ImportColumn | null; message: string }
export const importProblemText = ({ line, column, message }: ImportProblem): string =>
  `Line ${line}${column ? `, ${column}` : ''}: ${message}`

/** The index of each column, or a message that says what is wrong with the header. */
export function readImportHeader(cells: readonly string[]): Map<ImportColumn, number> | string {
  const found = new Map<ImportColumn, number>(),
    unknown: string[] = []
  for (const [place, cell] of cells.entries()) {
    const plain = cell
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, '_')
    const column =
      importColumns.find(name => name === plain) ??
      (Object.hasOwn(otherNames, plain) ? otherNames[plain]! : null)
    if (!column) unknown.push(cell.trim() || `(column ${place + 1} has no name)`)
    else if (found.has(column)) return `The column ${column} is there twice.`
    else found.set(column, place)
  }
  const missing = requiredColumns.filter(name => !found.has(name))
  if (missing.length > 0)
    return `The first row must name the columns; missing: ${missing.join(', ')}.`
  if (unknown.length > 0)
    return `Unknown columns: ${unknown.slice(0, 20).join(', ')}. Allowed columns are ${importColumns.join(', ')}.`
  return found
}

/**
 * What is needed to read a file: the shop's currency and time zone, and the latest allowed instant
 * in milliseconds.
 */
export type ImportReading = { currency: string; timeZone: string; now: number }

/** Reads the cells of one row, or returns the first problem in it. */
export function readImportRow(
  cells: readonly string[],
  line: number,
  columns: ReadonlyMap<ImportColumn, number>,
  { currency, timeZone, now }: ImportReading,
): ImportRow | ImportProblem {
  const wrong = (column: ImportColumn | null, message: string): ImportProblem => ({
    line,
    column,
    message,
  })
  const width = columns.size
  if (cells.length !== width) return wrong(null, `${cells.length} cells instead of ${width}.`)
  const cell = (column: ImportColumn): string => {
    const place = columns.get(column)
    return place === undefined ? '' : cells[place]!.trim()
  }

  const broken = cells.findIndex(text => text.includes('\0'))
  if (broken >= 0)
    return wrong(
      [...columns].find(([, place]) => place === broken)?.[0] ?? null,
      'Remove the NUL character from this cell.',
    )
  const visitor = cell('visitor')
  if (!visitor || visitor.length > 200)
    return wrong('visitor', 'Name the visitor in 1 to 200 characters.')
  const arm = named(armNames, cell('arm'))
  if (arm === undefined) return wrong('arm', 'Write control or variant (or 0 and 1, a and b).')
  const at = instantIn(cell('time'), timeZone)
  if (at === null)
    return wrong(
      'time',
      'Write a date and time such as 2026-11-02T14:05:00Z, or seconds or milliseconds since 1970. Without a zone the shop’s own is meant.',
    )
  if (at < earliest) return wrong('time', 'This is before the year 2000.')
  if (at > now) return wrong('time', 'This time is in the future.')
  const event = named(eventNames, cell('event'))
  if (event === undefined) return wrong('event', `Write one of ${importEvents.join(', ')}.`)

  const isSale = event === 'purchase',
    isMoney = isSale || event === 'refund'
  const amount = cell('value')
  const value = amount === '' ? (isMoney ? null : 0) : minorFromDecimal(amount, currency)
  if (value === null || (event === 'refund' && value === 0))
    return wrong(
      'value',
      `Write the amount in ${currency} as 24.90, without a currency sign or thousands separators.`,
    )
  if (!isMoney && value !== 0) return wrong('value', 'Only a purchase or a refund has an amount.')
  const order = cell('order')
  if (order.length > 100) return wrong('order', 'An order’s id has at most 100 characters.')
  const product = cell('product')
  if (product && !/^[A-Za-z0-9_-]{1,64}$/.test(product))
    return wrong('product', 'A product’s id has letters, digits, - and _, at most 64.')
  const pieces = cell('quantity'),
    quantity = pieces === '' ? 1 : Number(pieces)
  if (!/^\d{0,6}$/.test(pieces) || quantity < 1)
    return wrong('quantity', 'Write a whole number from 1.')

  const deviceName = cell('device').toLowerCase(),
    device =
      deviceName === ''
        ? 0
        : deviceName === 'mobile'
          ? 1
          : devices.findIndex(name => name === deviceName)
  if (device < 0) return wrong('device', `Write one of ${devices.join(', ')}.`)
  const country = cell('country').toUpperCase()
  if (country && !/^[A-Z]{2}$/.test(country))
    return wrong('country', 'Write the two letters of ISO 3166, such as US.')
  const source = sourceOf(cell)
  if (typeof source === 'string') return wrong('channel', source)
  if (source.referrer.length > 2_000 || source.landing.length > 2_000)
    return wrong('referrer', 'This is too long.')
  return {
    visitor,
    arm,
    at,
    event,
    value,
    order: isMoney ? order : '',
    product: event === 'refund' ? '' : product,
    quantity: isSale ? quantity : 1,
    device: device as DeviceIndex,
    country,
    ...source,
  }
}
export const isImportProblem = (read: ImportRow | ImportProblem): read is ImportProblem =>
  'message' in read

const earliest = Date.UTC(2000, 0, 1)
const named = <T>(names: Record<string, T>, text: string): T | undefined => {
  const plain = text.toLowerCase().replace(/[\s-]+/g, '_')
  return Object.hasOwn(names, plain) ? names[plain] : undefined
}

/** Reads a time. Returns milliseconds since 1970, or null when the text is not a time. */
function instantIn(text: string, timeZone: string): number | null {
  if (/^\d{9,10}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000)
  if (/^\d{12,13}$/.test(text)) return Number(text)
  const [, date, minute, second = '00', part = '', zone] =
    /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::([0-5]\d)(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?$/i.exec(
      text,
    ) ?? []
  if (!date) return null
  const rest = Number(second) * 1000 + Math.floor(Number(`0.${part || '0'}`) * 1000)
  // Also with a zone, `instantOf` reads day and minute, because it refuses days such as 30
  // February.
  const whole = instantOf(`${date}T${minute}`, zone ? 'UTC' : timeZone)
  if (!whole) return null
  return whole.getTime() + rest - offsetOf(zone)
}

function offsetOf(zone: string | undefined): number {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone ?? '') ?? []
  return sign ? (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteLength : 0
}

/** For each channel, a first page that our rules assign to it (channel.ts). */
export const channelLandings: Record<Channel, string> = {
  direct: '/',
  organicSearch: '/?utm_source=google&utm_medium=organic',
  paidSearch: '/?utm_source=google&utm_medium=cpc',
  organicSocial: '/?utm_source=facebook&utm_medium=social',
  paidSocial: '/?utm_source=facebook&utm_medium=cpc',
  email: '/?utm_source=newsletter&utm_medium=email',
  affiliate: '/?utm_source=partner&utm_medium=affiliate',
  referral: '/?utm_source=site&utm_medium=referral',
  display: '/?utm_source=network&utm_medium=display',
  other: '/?utm_source=unknown&utm_medium=unknown',
}

/**
 * The first page and the referrer of the visit, from the channel's name, or from the UTM tags and
 * the referrer. Returns a message when the cells are wrong.
 */
function sourceOf(
  cell: (column: ImportColumn) => string,
): { landing: string; referrer: string } | string {
  const name = cell('channel'),
    linked = cell('referrer')
  const tags = (['utm_source', 'utm_medium', 'utm_campaign'] as const).filter(
    tag => cell(tag) !== '',
  )
  const referrer = linked === '' || /^https?:\/\//i.test(linked) ? linked : `https://${linked}/`
  if (name === '')
    return {
      landing:
        tags.length === 0 ? '/' : `/?${new URLSearchParams(tags.map(tag => [tag, cell(tag)]))}`,
      referrer,
    }
  if (tags.length > 0) return 'Give the channel or the UTM tags, not both.'
  const channel = channels.find(
    each => each.toLowerCase() === name.toLowerCase().replace(/[\s_-]+/g, ''),
  )
  return channel
    ? { landing: channelLandings[channel], referrer }
    : `Write one of ${channels.join(', ')}.`
}
