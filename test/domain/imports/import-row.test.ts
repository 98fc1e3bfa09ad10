import t from 'tap'
import { channelOf, channels, referrerHost, trafficSource } from '../../../domain/events/channel.ts'
import {
  channelLandings,
  type ImportColumn,
  type ImportRow,
  isImportProblem,
  readImportHeader,
  readImportRow,
} from '../../../domain/imports/import-row.ts'

const now = Date.parse('2026-11-20T12:00:00Z')
const good: Partial<Record<ImportColumn, string>> = {
  visitor: 'v1',
  arm: 'control',
  time: '2026-11-02T14:05:00Z',
  event: 'exposure',
}
const read = (over: Partial<Record<ImportColumn, string>>) => {
  const cells = { ...good, ...over },
    header = readImportHeader(Object.keys(cells)) as Map<ImportColumn, number>
  return readImportRow(Object.values(cells), 7, header, {
    currency: 'USD',
    timeZone: 'America/New_York',
    now,
  })
}
const taken = (over: Partial<Record<ImportColumn, string>>): ImportRow => {
  const row = read(over)
  return isImportProblem(row) ? (t.fail(row.message) as never) : row
}
const refused = (over: Partial<Record<ImportColumn, string>>): string => {
  const row = read(over)
  return isImportProblem(row) ? `${row.line} ${row.column}` : `taken: ${JSON.stringify(row)}`
}

t.test('a time is read in every format that exports use', async t => {
  for (const [text, at] of [
    ['2026-11-02T14:05:00Z', '2026-11-02T14:05:00.000Z'],
    ['2026-11-02 14:05:37.25Z', '2026-11-02T14:05:37.250Z'],
    ['2026-11-02T14:05:59,5+02:00', '2026-11-02T12:05:59.500Z'],
    ['2026-11-02 14:05-0330', '2026-11-02T17:35:00.000Z'],
    ['2026-11-02 14:05:10', '2026-11-02T19:05:10.000Z'],
    ['1793628300', '2026-11-02T14:05:00.000Z'],
    ['1793628300.5', '2026-11-02T14:05:00.500Z'],
    ['1793628300250', '2026-11-02T14:05:00.250Z'],
    ['2000-01-01T00:00Z', '2000-01-01T00:00:00.000Z'],
  ] as const)
    t.equal(new Date(taken({ time: text }).at).toISOString(), at, text)
  for (const text of [
    '',
    'yesterday',
    '2026-02-30T10:00Z',
    '2026-11-02T14:05:60Z',
    '1999-12-31T23:59:59Z',
    '2026-11-20T12:00:01Z',
  ])
    t.equal(refused({ time: text }), '7 time', text)
  t.equal(
    taken({ time: '2026-11-20T12:00:00Z' }).at,
    now,
    'the present moment is not in the future',
  )
})

t.test('a purchase and a refund need an amount, other events have none', async t => {
  t.match(
    taken({ event: 'purchase', value: '24.90', order: '#1', product: 'mug', quantity: '2' }),
    { value: 2490, order: '#1', product: 'mug', quantity: 2 },
  )
  t.match(taken({ event: 'refund', value: '5', order: '#1', product: 'mug', quantity: '2' }), {
    value: 500,
    order: '#1',
    product: '',
    quantity: 1,
  })
  t.match(taken({ event: 'purchase', value: '0' }), { value: 0 }, 'a free order')
  t.match(taken({ event: 'view', value: '0', order: '#1', quantity: '3' }), {
    value: 0,
    order: '',
    quantity: 1,
  })
  t.match(taken({ event: 'view', value: '' }), { value: 0 })
  for (const [event, value] of [
    ['purchase', ''],
    ['refund', ''],
    ['refund', '0'],
    ['refund', '0.00'],
    ['purchase', '$5'],
    ['view', '5'],
    ['exposure', '0.01'],
    ['cart', 'x'],
  ] as const)
    t.equal(refused({ event, value }), '7 value', `${event} ${value}`)
})

t.test('the other cells: allowed and refused values', async t => {
  t.match(taken({ arm: 'B', event: 'Page view', device: 'Mobile', country: 'us' }), {
    arm: 1,
    event: 'view',
    country: 'US',
  })
  t.equal(taken({ device: 'mobile' }).device, taken({ device: 'phone' }).device)
  const wrong: [ImportColumn, string[]][] = [
    ['visitor', ['', 'x'.repeat(201)]],
    ['arm', ['', 'c', '2', 'toString']],
    ['event', ['', 'sale']],
    ['order', ['x'.repeat(101)]],
    ['product', ['a b', 'x'.repeat(65)]],
    ['quantity', ['0', '1.5', '-1', '1234567', 'two']],
    ['device', ['fridge']],
    ['country', ['USA', 'U', '1US', 'Ü1', 'xUS']],
    ['referrer', [`https://${'x'.repeat(2_000)}`]],
  ]
  for (const [column, texts] of wrong)
    for (const text of texts)
      t.equal(refused({ [column]: text }), `7 ${column}`, `${column}: ${text.slice(0, 20)}`)
  for (const [column, text] of [
    ['visitor', 'x'.repeat(200)],
    ['order', 'x'.repeat(100)],
    ['product', 'x'.repeat(64)],
    ['quantity', '999999'],
  ] as const)
    t.notOk(isImportProblem(read({ [column]: text })), `${column} of the maximum length`)
  t.equal(refused({ visitor: 'a\0b' }), '7 visitor')
})

t.test('times and channels are read in every format that exports use', async t => {
  const columns = readImportHeader(['time', 'visitor', 'arm', 'event']) as Map<'visitor', number>
  const at = (text: string, timeZone = 'America/New_York') => {
    const row = readImportRow([text, 'v', '0', 'view'], 2, columns, {
      currency: 'USD',
      timeZone,
      now: Infinity,
    })
    return 'at' in row ? new Date(row.at).toISOString() : null
  }
  for (const [text, expected] of [
    ['2026-11-02T10:00:05.250Z', '2026-11-02T10:00:05.250Z'],
    ['2026-11-02 10:00:05+02:00', '2026-11-02T08:00:05.000Z'],
    ['2026-11-02T10:00-0330', '2026-11-02T13:30:00.000Z'],
    ['2026-11-02T10:00+01', '2026-11-02T09:00:00.000Z'],
    ['2026-11-02T10:00', '2026-11-02T15:00:00.000Z'],
    ['2026-07-02 10:00:01.5', '2026-07-02T14:00:01.500Z'],
    ['1793613605', '2026-11-02T10:00:05.000Z'],
    ['1793613605.25', '2026-11-02T10:00:05.250Z'],
    ['1793613605250', '2026-11-02T10:00:05.250Z'],
    ['2026-11-02', null],
    ['2026-11-02T25:00Z', null],
    ['02/11/2026 10:00', null],
    ['1', null],
    ['1999-12-31T00:00Z', null],
  ] as const)
    t.equal(at(text), expected, text)
  t.match(
    readImportRow(['2026-11-02T10:00:05Z', 'v', '0', 'vi\0ew'], 2, columns, {
      currency: 'USD',
      timeZone: 'UTC',
      now: Infinity,
    }),
    { line: 2, column: 'event', message: /NUL/ },
  )
  for (const channel of channels)
    t.equal(
      channelOf(trafficSource(channelLandings[channel], referrerHost('', new Set()))),
      channel,
      channel,
    )
})
