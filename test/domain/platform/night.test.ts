import { randomUUID } from 'node:crypto'
import t from 'tap'
import { nextNight } from '../../../domain/platform/night.ts'

const hour = 3_600_000,
  day = 24 * hour
const zones = ['UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia', 'Australia/Lord_Howe']
const clock = (zone: string, at: Date) =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(at)

t.test('the work begins between one and five of the shop’s night, once a night', async t => {
  for (const zone of zones)
    for (let i = 0; i < 20; i++) {
      const store = randomUUID()
      let at = new Date(Date.parse('2026-06-10T00:00:00Z') + i * hour)
      const first = nextNight(store, zone, at)
      t.ok(first > at && first.getTime() - at.getTime() <= day, `${zone} ${first.toISOString()}`)
      const time = clock(zone, first)
      t.ok(time >= '01:00' && time < '05:00', `${zone} ${time}`)
      at = first
      for (let n = 1; n <= 3; n++) {
        at = nextNight(store, zone, at)
        t.equal(at.getTime(), first.getTime() + n * day, 'the same time every night')
      }
    }
})

t.test('stores are spread over the night', async t => {
  const now = new Date('2026-06-10T12:00:00Z')
  const quarters = new Set(
    Array.from({ length: 400 }, () =>
      Math.floor(nextNight(randomUUID(), 'UTC', now).getTime() / (hour / 4)),
    ),
  )
  t.ok(quarters.size > 10, `${quarters.size} of 16 quarters of an hour`)
})

t.test('no night is left out where clocks are put forward or back', async t => {
  // 0x6ddd00 ms are two hours: three o'clock. 0x36ee80 ms are one hour: two o'clock.
  for (const [zone, date] of [
    ['America/New_York', '2026-03-08'],
    ['America/New_York', '2026-11-01'],
    ['Europe/Berlin', '2026-03-29'],
    ['Europe/Berlin', '2026-10-25'],
  ] as const)
    for (const id of ['006ddd00', '0036ee80', '00000000']) {
      let at = new Date(Date.parse(`${date}T12:00:00Z`) - 2 * day)
      const nights: string[] = []
      while (nights.length < 4) {
        at = nextNight(id, zone, at)
        nights.push(new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format(at))
      }
      t.ok(new Set(nights).size >= 3, `${zone} ${date}: ${nights.join()}`)
      t.ok(nights.includes(date), `${zone} ${date}: ${nights.join()}`)
    }
})

t.test('an unknown time zone counts as UTC', async t => {
  const now = new Date('2026-06-10T12:00:00Z'),
    store = randomUUID()
  t.same(nextNight(store, 'Mars/Olympus', now), nextNight(store, 'UTC', now))
})
