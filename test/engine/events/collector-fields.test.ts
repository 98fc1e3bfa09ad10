import { createHmac } from 'node:crypto'
import t from 'tap'
import { sql } from 'kysely'
import { channels } from '../../../domain/events/channel.ts'
import type { Problem } from '../../../domain/problem.ts'
import { rebuild } from '../../../engine/events/rebuild.ts'
import { freshDb } from '../support/harness.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { appSecret, firstShop } from '../support/small-shop.ts'
import {
  aggregatesOf,
  beacon,
  collect,
  collectingApp,
  event,
  noon,
  visitorIn,
} from '../support/traffic.ts'

t.test(
  'a wrong field of an event is refused by its name, and nothing of the beacon is stored',
  async t => {
    const db = await freshDb()
    const app = await collectingApp(db, () => new Date(noon))
    t.teardown(async () => {
      await app.close()
      await db.close()
    })
    const testId = await seedTest(db, await seedStore(db))
    const visitor = visitorIn(testId, 0, 'anna'),
      tests = { [testId]: [0, 7] as [0, number] }
    const stored = async () =>
      (
        await sql<{
          kind: string
          country: string | null
        }>`select kind, country from events order by kind`.execute(db.kysely)
      ).rows
    const wrong: [field: string, over: object][] = [
      ['events.0.product', { product: 501 }],
      ['events.0.product', { product: '' }],
      ['events.0.product', { product: 'a b' }],
      ['events.0.product', { product: '5'.repeat(65) }],
      ['events.0.vitals', { vitals: 5 }],
      ['events.0.vitals.lcp', { vitals: { lcp: -1 } }],
      ['events.0.vitals.lcp', { vitals: { lcp: 1.5 } }],
      ['events.0.vitals.inp', { vitals: { inp: 2 ** 31 } }],
      ['events.0.vitals.cls', { vitals: { cls: '10' } }],
      ['events.0.vitals.fid', { vitals: { fid: 10 } }],
    ]
    for (const [field, over] of wrong) {
      const response = await collect(app, {
        ...beacon(visitor, tests, []),
        events: [{ ...event('view', noon), ...over }, event('exposure', noon, [testId])],
      })
      t.equal(response.statusCode, 400, JSON.stringify(over).slice(0, 60))
      t.equal(response.json<Problem>().fields?.[0]?.field, field, JSON.stringify(over).slice(0, 60))
    }
    t.equal(
      (
        await collect(app, { ...beacon(visitor, tests, [event('view', noon)]), consent: false })
      ).json<Problem>().fields?.[0]?.field,
      'consent',
    )
    t.same(await stored(), [])

    const good = beacon(
      visitor,
      tests,
      [
        event('exposure', noon, [testId]),
        { ...event('view', noon), product: '501' },
        { ...event('vitals', noon + 1, [testId]), vitals: { lcp: 1200, cls: 0 } },
      ],
      { consent: true },
    )
    t.equal((await collect(app, good)).statusCode, 204)
    t.equal(
      (
        await collect(
          app,
          beacon(visitor, tests, [{ ...event('vitals', noon + 2, [testId]), vitals: {} }]),
        )
      ).statusCode,
      204,
      'a browser that measured nothing',
    )
  },
)

t.test(
  'a signed replay may name the visitor’s country; for other beacons only the edge’s header counts',
  async t => {
    const db = await freshDb()
    const app = await collectingApp(db, () => new Date(noon), { countryHeader: 'cf-ipcountry' })
    t.teardown(async () => {
      await app.close()
      await db.close()
    })
    const testId = await seedTest(db, await seedStore(db))
    const send = (name: string, isSigned: boolean, country?: string) => {
      const body = beacon(visitorIn(testId, 0, name), { [testId]: [0, 7] }, [
        event('exposure', noon, [testId]),
      ])
      const signature = createHmac('sha256', appSecret).update(JSON.stringify(body)).digest('hex')
      return collect(app, body, {
        'cf-ipcountry': 'DE',
        ...(country !== undefined && { 'x-twinshelf-country': country }),
        ...(isSigned && { 'x-twinshelf-replay': signature }),
      })
    }
    for (const answer of [
      await send('anna', true, 'JP'),
      await send('bert', false, 'JP'),
      await send('cora', true),
      await send('dora', true, 'Japan'),
    ])
      t.equal(answer.statusCode, 204)
    const found = await sql<{
      name: string
      country: string | null
    }>`select split_part(visitor_id, '-', 2) as name, country from test_visitors order by 1`.execute(
      db.kysely,
    )
    t.same(found.rows, [
      { name: 'anna', country: 'JP' },
      { name: 'bert', country: 'DE' },
      { name: 'cora', country: 'DE' },
      { name: 'dora', country: null },
    ])
  },
)

t.test(
  'addresses are stored without their query; the source of a visit is read before, and a rebuild finds it again',
  async t => {
    const db = await freshDb()
    const app = await collectingApp(db, () => new Date(noon))
    t.teardown(async () => {
      await app.close()
      await db.close()
    })
    const testId = await seedTest(db, await seedStore(db))
    const personal = 'anna%40mail.test',
      landing = `/products/mug?gclid=${personal}&utm_campaign=autumn&email=${personal}`
    const sent = beacon(
      visitorIn(testId, 0, 'anna'),
      { [testId]: [0, 7] },
      [
        event('exposure', noon, [testId]),
        { ...event('view', noon), path: landing },
        { ...event('click', noon, [testId]), path: `/account?token=${personal}` },
      ],
      { landing, referrer: `https://www.google.com/search?q=${personal}` },
    )
    t.equal((await collect(app, sent)).statusCode, 204)
    const { rows } = await sql<
      Record<string, unknown>
    >`select path, landing, referrer, channel, strpos(e::text, ${personal}) as found from events e order by kind`.execute(
      db.kysely,
    )
    const visit = {
      landing: '/products/mug?utm_campaign=autumn',
      referrer: 'https://www.google.com/search',
      channel: channels.indexOf('paidSearch'),
      found: 0,
    }
    t.same(rows, [
      { ...visit, path: '/products/mug' },
      { ...visit, path: '/products/mug?utm_campaign=autumn' },
      { path: '/account', landing: null, referrer: null, channel: null, found: 0 },
    ])
    const before = await aggregatesOf(db)
    t.match(before, {
      visitors: [{ channel: channels.indexOf('paidSearch'), referrer: 'google.com' }],
    })
    await rebuild(db, firstShop)
    t.same(await aggregatesOf(db), before)
  },
)
