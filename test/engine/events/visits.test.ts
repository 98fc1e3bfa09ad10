import { cyclePeriod } from '../../../engine/events/fold/periods.ts'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { activeSpans, fullDays, pausedDays, timeRun } from '../../../engine/tests/active-spans.ts'
import { type Device, deviceOf, devices } from '../../../domain/device.ts'
import { agentOf, countryOf } from '../../../engine/events/visit-agent.ts'
import { dayIn } from '../../../engine/events/fold/visit-day.ts'

t.test('devices and bots by user agent', async t => {
  const cases: [string | undefined, string, boolean][] = [
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
      'desktop',
      false,
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
      'desktop',
      false,
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0', 'desktop', false],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
      'phone',
      false,
    ],
    [
      'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Mobile Safari/537.36',
      'phone',
      false,
    ],
    [
      'Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1 Mobile/15E148 Safari/604.1',
      'tablet',
      false,
    ],
    [
      'Mozilla/5.0 (Linux; Android 14; SM-X700) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
      'tablet',
      false,
    ],
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'desktop', true],
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/130.0.0.0 Safari/537.36',
      'desktop',
      true,
    ],
    ['curl/8.5.0', 'desktop', true],
    ['', 'desktop', true],
    [undefined, 'desktop', true],
  ]
  for (const [userAgent, device, isBot] of cases) {
    const agent = agentOf(userAgent)
    t.same([devices[agent.device], agent.isBot], [device, isBot], userAgent ?? 'none')
    t.same(agentOf(userAgent), agent, 'a second look gives the same')
  }
})

t.test(
  'the engine’s library and the script’s few bytes recognise the same kinds of device',
  async t => {
    const { agents } = JSON.parse(
      readFileSync(new URL('../../cases/user-agents.json', import.meta.url), 'utf8'),
    ) as { agents: Record<Device | 'tv' | 'console', string[]> }
    const found = { engine: [] as string[], script: [] as string[] },
      isBot: string[] = []
    let count = 0
    for (const [kind, list] of Object.entries(agents))
      for (const agent of list) {
        count++
        const device = kind === 'tv' || kind === 'console' ? 'desktop' : kind
        if (devices[agentOf(agent).device] !== device) found.engine.push(`${kind}: ${agent}`)
        if (devices[deviceOf(agent)] !== device) found.script.push(`${kind}: ${agent}`)
        if (agentOf(agent).isBot) isBot.push(agent)
      }
    t.same(found, { engine: [], script: [] })
    t.same(isBot, [], 'none of them is a bot')
    t.ok(count >= 60, `${count} of them`)
  },
)

t.test('the country is read from the edge’s header', async t => {
  for (const [header, country] of [
    ['DE', 'DE'],
    ['us', 'US'],
    ['XX', null],
    ['T1', null],
    ['Germany', null],
    ['', null],
    [undefined, null],
    [['DE', 'US'], null],
  ] as const)
    t.equal(countryOf(header as string | undefined), country, String(header))
})

t.test('a day follows the shop’s time zone, even with clock changes or odd offsets', async t => {
  const cases: [zone: string, instant: string, day: string][] = [
    ['America/New_York', '2026-11-01T03:59:59Z', '2026-10-31'],
    ['America/New_York', '2026-11-01T04:00:00Z', '2026-11-01'], // still summer time
    ['America/New_York', '2026-11-02T04:59:59.999Z', '2026-11-01'],
    ['America/New_York', '2026-11-02T05:00:00Z', '2026-11-02'], // a day of 25 hours
    ['Asia/Kathmandu', '2026-11-10T18:14:59Z', '2026-11-10'],
    ['Asia/Kathmandu', '2026-11-10T18:15:00Z', '2026-11-11'],
    ['Pacific/Kiritimati', '2026-11-10T10:00:00Z', '2026-11-11'],
    ['UTC', '1970-01-01T00:00:00Z', '1970-01-01'],
  ]
  for (const [zone, instant, day] of cases)
    t.equal(dayIn(zone, Date.parse(instant)), day, `${instant} in ${zone}`)
})

t.test('days on which a test was paused, partly or wholly', async t => {
  const at = (instant: string) => Date.parse(instant)
  const spans = activeSpans([
    { status: 'Scheduled', at: at('2026-10-01T00:00:00Z') },
    { status: 'Active', at: at('2026-10-30T15:00:00Z') },
    { status: 'Paused', at: at('2026-10-31T15:00:00Z') },
    { status: 'OnHold', at: at('2026-11-01T15:00:00Z') },
    { status: 'Active', at: at('2026-11-03T05:00:00Z') },
  ])
  t.same(spans, [
    { from: at('2026-10-30T15:00:00Z'), to: at('2026-10-31T15:00:00Z') },
    { from: at('2026-11-03T05:00:00Z'), to: Infinity },
  ])
  const days = (until: string) =>
    [...pausedDays(spans, 'America/New_York', at('2026-10-30T15:00:00Z'), at(until))].sort()
  t.same(
    days('2026-11-05T00:00:00Z'),
    [
      ['2026-10-31', 'partly'],
      ['2026-11-01', 'wholly'],
      ['2026-11-02', 'wholly'],
    ],
    'resumed at midnight of the 3rd',
  )
  t.same(
    days('2026-11-01T12:00:00Z'),
    [
      ['2026-10-31', 'partly'],
      ['2026-11-01', 'wholly'],
    ],
    'ended while paused',
  )
  t.same(days('2026-10-31T10:00:00Z'), [])

  t.equal(timeRun(spans, at('2026-10-30T15:00:00Z'), at('2026-11-02T00:00:00Z')), 24 * 3_600_000)
  t.equal(
    timeRun(spans, at('2026-10-30T15:00:00Z'), at('2026-11-04T05:00:00Z')),
    48 * 3_600_000,
    'pauses do not count',
  )
  const full = (until: string, most = 7) =>
    fullDays(spans, 'America/New_York', at('2026-10-30T15:00:00Z'), at(until), most)
  t.same(full('2026-11-03T20:00:00Z'), [], 'the first day, paused days and today are not full days')
  t.same(full('2026-11-06T20:00:00Z'), ['2026-11-05', '2026-11-04', '2026-11-03'])
  t.same(full('2026-11-06T20:00:00Z', 2), ['2026-11-05', '2026-11-04'])
  const still = activeSpans([
    { status: 'Active', at: at('2026-10-20T15:00:00Z') },
    { status: 'Paused', at: at('2026-10-25T15:00:00Z') },
  ])
  t.same(
    fullDays(still, 'America/New_York', at('2026-10-20T15:00:00Z'), at('2026-11-20T15:00:00Z'), 2),
    ['2026-10-24', '2026-10-23'],
    'the last full days on which it ran, however long ago',
  )
})

t.test('usage cycles are 30 days long and can be counted from any cycle start', async t => {
  const anchor = Date.parse('2026-11-20T10:00:00Z')
  t.equal(cyclePeriod(anchor, anchor), 'cycle:2026-11-20T10:00:00.000Z')
  t.equal(cyclePeriod(anchor, anchor - 1), 'cycle:2026-10-21T10:00:00.000Z')
  t.equal(cyclePeriod(anchor + 30 * 86_400_000, anchor + 1), 'cycle:2026-11-20T10:00:00.000Z')
})
