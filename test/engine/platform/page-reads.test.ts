import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import t from 'tap'
import { busyPages, pageWords } from '../../../domain/platform/rate-words.ts'
import { ShopBusy, shopBusyError } from '../../../domain/problem.ts'
import { withVendorsWithin } from '../../../engine/http/vendor-calls.ts'
import { startJobs } from '../../../engine/jobs/run.ts'
import { demoPlatform } from '../../../engine/platform/demo/demo.ts'
import { pageReads } from '../../../engine/platform/page-reads.ts'
import { composed } from '../../../engine/platform/platforms.ts'
import { freshDb } from '../support/harness.ts'
import { like } from '../support/like.ts'
import { seedStore } from '../support/seeds.ts'
import { appKey, appSecret, firstShop } from '../support/small-shop.ts'
import { startWithShop } from '../support/with-shop.ts'

// A real shop, which lets a program read two pages a minute by its own clock.
const { now, shop, shopOrigin, engine, token, close } = await startWithShop()
t.teardown(close)
t.setTimeout(120_000)
const demo = demoPlatform({ appKey, appSecret, shopOrigin })
t.teardown(() => demo.close())
shop.capabilities.set({ unsignedReads: 2 })

const about = `${shopOrigin}/pages/about`
const later = (seconds: number) => {
  now.at = new Date(now.at.getTime() + seconds * 1_000)
}
/** One more process, which knows nothing yet of what the shop refuses. */
const newProcess = (waitsFor?: number) => composed([demo], pageReads(waitsFor)).shops
const asPerson = <T>(work: () => Promise<T>, all = 3_000): Promise<T> =>
  withVendorsWithin({ all, each: all }, work)
const useUp = async () => {
  later(61)
  const { pageExists } = newProcess()
  for (let n = 0; n < 2; n++) t.equal(await pageExists(firstShop, about), true)
}

t.test('a job waits, says so, and then reads the page', async t => {
  await useUp()
  later(59)
  const own = await freshDb()
  const store = await seedStore(own)
  const jobs = startJobs({ db: own, clock: () => now.at, log: pino({ level: 'silent' }) })
  const said = async () =>
    (await own.kysely.selectFrom('jobs').select('message').executeTakeFirst())?.message
  const shops = newProcess()
  let found: unknown
  jobs.on('leadMail', async () => {
    found = await shops.fetchPage(firstShop, about)
  })
  await jobs.add(own.kysely, { storeId: store, kind: 'leadMail' })
  const running = jobs.runNow()
  while ((await said()) !== pageWords) await pause(10)
  t.equal(found, undefined, 'no page meanwhile')
  later(2)
  await running
  t.match(found, { status: 200, text: /About/ })
  await jobs.stop()
  await own.close()
})

t.test('a person waits a moment, or gets the reason at once', async t => {
  await useUp()
  later(20)
  const shops = newProcess()
  for (const read of [shops.pageExists, shops.fetchPage]) {
    const refusal = await asPerson<unknown>(() => read(firstShop, about)).catch(
      (error: unknown) => error,
    )
    t.ok(refusal instanceof ShopBusy, 'not that the page is missing')
    t.match(refusal, { status: 503, message: busyPages(40) })
  }
  later(39)
  const next = newProcess()
  const reading = asPerson(() => next.pageExists(firstShop, about))
  await pause(300)
  later(2)
  t.equal(await reading, true, 'a second is short enough')
})

t.test('a shop that lets us read nothing at all does not keep a job', async t => {
  await useUp()
  later(59)
  await t.rejects(newProcess(500).pageExists(firstShop, about), like({ status: 503 }))
})

t.test('the API says why an address could not be checked', async t => {
  await useUp()
  later(10)
  const { statusCode, headers, body } = await engine.app.inject({
    url: '/api/v0/test-drafts/validate-redirect-url?redirectUrl=/pages/about',
    headers: { authorization: `Bearer ${token}` },
  })
  t.equal(statusCode, 503)
  t.equal(headers['retry-after'], '50')
  t.match(JSON.parse(body), { error: shopBusyError, message: busyPages(50) })
})

t.test('words', t => {
  t.equal(
    busyPages(1),
    'Your shop lets a program read only so many of its pages a minute. Try again in a second.',
  )
  t.end()
})
