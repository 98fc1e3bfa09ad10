import t from 'tap'
import { sql } from 'kysely'
import type { ArmIndex } from '../../../domain/arm.ts'
import type { ShopperEvent } from '../../../domain/events/event.ts'
import { speedPlace } from '../../../domain/reports/speed.ts'
import { day, second } from '../../../domain/time-units.ts'
import { rebuild } from '../../../engine/events/rebuild.ts'
import { pagesMeasured } from '../../../engine/events/visitor-limits.ts'
import { freshDb } from '../support/harness.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { firstShop } from '../support/small-shop.ts'
import {
  aggregatesOf,
  beacon,
  collect,
  collectingApp,
  event,
  noon,
  visitorIn,
} from '../support/traffic.ts'

const db = await freshDb(),
  app = await collectingApp(db, () => new Date(noon))
t.teardown(() => app.close())
const testId = await seedTest(db, await seedStore(db))
const honest = 1_200,
  slow = 30_000

const page = (at: number, lcp: number): ShopperEvent => ({
  ...event('vitals', at, [testId]),
  vitals: { lcp },
})
async function send(visitor: string, arm: ArmIndex, events: ShopperEvent[], sent = noon) {
  const { statusCode } = await collect(
    app,
    beacon(visitor, { [testId]: [arm, 7] }, events, { sent }),
  )
  t.equal(statusCode, 204)
}
const pagesOf = async (lcp: number) =>
  (
    await sql<{
      pages: number
    }>`select coalesce(sum(pages), 0)::int as pages from test_speed where test_id = ${testId} and place = ${speedPlace(lcp)}`.execute(
      db.kysely,
    )
  ).rows[0]!.pages

t.test('one visitor does not decide the page speed of an arm', async t => {
  for (let n = 0; n < 40; n++) {
    const arm = n % 2 ? 1 : 0
    await send(visitorIn(testId, arm, `honest-${n}`), arm, [page(noon - second, honest)])
  }
  const forger = visitorIn(testId, 1, 'forger')
  for (let n = 0; n < 60; n++)
    await send(
      forger,
      1,
      Array.from({ length: 50 }, (_, k) => page(noon - k, slow)),
    )
  t.equal(await pagesOf(honest), 40)
  t.equal(await pagesOf(slow), pagesMeasured.perDay)
})

t.test('nor can it by sending the same pages with other days of its clock', async t => {
  const forger = visitorIn(testId, 1, 'wrong-clock'),
    before = await pagesOf(slow)
  const pages = Array.from({ length: pagesMeasured.perDay }, () => page(noon, slow))
  // The collector corrects a wrong clock, so all these events are of now. But the row is stored on
  // the day of the clock.
  for (let n = 0; n < 30; n++)
    await send(
      forger,
      1,
      pages.map(each => ({ ...each, at: noon - n * 5 * day })),
      noon - n * 5 * day,
    )
  t.equal((await pagesOf(slow)) - before, pagesMeasured.perDay)
  await send(forger, 1, pages)
  t.equal(
    (await pagesOf(slow)) - before,
    pagesMeasured.perDay,
    'pages that are sent again add nothing',
  )
})

t.test('nor can it by naming the test many times in one event', async t => {
  const before = await pagesOf(slow),
    one = { ...page(noon, slow), tests: Array.from({ length: 50 }, () => testId) }
  await send(visitorIn(testId, 1, 'repeater'), 1, [one])
  t.equal((await pagesOf(slow)) - before, 1)
})

t.test('a rebuild gives the same figures', async t => {
  const kept = await aggregatesOf(db)
  await rebuild(db, firstShop)
  t.same(await aggregatesOf(db), kept)
})
