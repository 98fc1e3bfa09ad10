import { setTimeout as pause } from 'node:timers/promises'
import pino from 'pino'
import t from 'tap'
import { busyShop, rateWords } from '../../../domain/platform/rate-words.ts'
import { LaterProblem } from '../../../domain/problem.ts'
import { withVendorsWithin } from '../../../engine/http/vendor-calls.ts'
import { startJobs } from '../../../engine/jobs/run.ts'
import type { PlatformAdapter } from '../../../engine/platform/adapter.ts'
import { demoPlatform } from '../../../engine/platform/demo/demo.ts'
import { composed } from '../../../engine/platform/platforms.ts'
import { type PlatformRate, Throttled } from '../../../engine/platform/rate.ts'
import { shopRates } from '../../../engine/platform/rates.ts'
import { freshDb } from '../support/harness.ts'
import { like } from '../support/like.ts'
import { seedStore } from '../support/seeds.ts'
import { appKey, appSecret, firstShop } from '../support/small-shop.ts'
import { startWithShop } from '../support/with-shop.ts'

const { call, db, now, shop, shopOrigin, close } = await startWithShop()
t.teardown(close)
t.setTimeout(120_000)
const demo = demoPlatform({ appKey, appSecret, shopOrigin })
t.teardown(() => demo.close())

/** The shop's platform with this budget, as one more process would have it. */
const processWith = (rate: PlatformRate | null, over: Partial<PlatformAdapter> = {}) =>
  composed([{ ...demo, ...over, rate: () => rate }], shopRates(db)).shops
/** A call that a person waits for, like those of the API. */
const asPerson = <T>(work: () => Promise<T>, all = 20_000): Promise<T> =>
  withVendorsWithin({ all, each: all }, work)
const forget = () => db.kysely.deleteFrom('shop_rates').execute()
const rows = () => db.kysely.selectFrom('shop_rates').selectAll().execute()
const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const from = performance.now()
  await work()
  return (performance.now() - from) / 1000
}

t.test('without a limit there is no row and no wait', async t => {
  await processWith(null).themes(firstShop)
  t.same(await rows(), [])
})

t.test('two processes share the budget of a shop', async t => {
  const rate = { perSecond: 20, burst: 2 }
  const both = [processWith(rate), processWith(rate)]
  const calls = 24
  const took = await seconds(() =>
    Promise.all(Array.from({ length: calls }, (_, n) => both[n % 2]!.themes(firstShop))),
  )
  t.ok(took >= (calls - rate.burst) / rate.perSecond - 0.1, `${took} seconds for ${calls} calls`)
  t.equal((await rows()).length, 1)
  await forget()
})

t.test('calls cost what the platform says', async t => {
  const cost = (name: string, [, ids]: readonly unknown[]) =>
    name === 'productsById' ? (ids as string[]).length : 1
  const own = processWith({ perSecond: 10, burst: 1, cost })
  const took = await seconds(async () => {
    await own.productsById(firstShop, ['1', '2', '3', '4', '5'])
    await own.themes(firstShop)
  })
  t.ok(took >= 0.4, `${took} seconds for 6 points`)
  await forget()
})

t.test('a person overtakes ten background jobs', async t => {
  const done: string[] = []
  const noted = {
    themes: async () => {
      done.push('job')
      return []
    },
    capabilities: async (...of: Parameters<PlatformAdapter['capabilities']>) => {
      done.push('person')
      return demo.capabilities(...of)
    },
  }
  const rate = { perSecond: 4, burst: 1 }
  const own = processWith(rate, noted),
    other = processWith(rate, noted)
  const jobs = Array.from({ length: 10 }, () => own.themes(firstShop))
  while (done.length === 0) await pause(5)
  const before = done.length
  await asPerson(() => other.capabilities(firstShop))
  const place = done.indexOf('person') - before
  t.ok(place <= 2, `${place} jobs came before the person`)
  await Promise.all(jobs)
  t.equal(done.length, 11, 'the jobs come after')
  await forget()
})

t.test('persons who ask without end do not hold a job', async t => {
  const rate = { perSecond: 20, burst: 4 },
    limit = shopRates(db, { yieldsFor: 1_000 })
  const own = composed([{ ...demo, rate: () => rate }], limit).shops
  const ended = new AbortController()
  // Enough that some still wait when this process stands still for a second.
  const persons = Array.from({ length: 40 }, async () => {
    while (!ended.signal.aborted) await asPerson(() => own.themes(firstShop))
  })
  await pause(500)
  const took = await seconds(() => own.themes(firstShop))
  ended.abort()
  await Promise.all(persons)
  t.ok(took >= 1 && took < 10, `${took} seconds`)
  await forget()
})

t.test('a person who would wait longer than the timeout gets a sentence at once', async t => {
  const own = processWith({ perSecond: 0.01, burst: 1 })
  await own.themes(firstShop)
  const refusal: unknown = await asPerson(() => own.themes(firstShop), 3_000).catch(
    (error: unknown) => error,
  )
  t.ok(refusal instanceof LaterProblem)
  t.match(refusal, {
    status: 503,
    message:
      /^The shop’s platform lets us do 1 call every 100 seconds, and more are waiting already\. Try again in \d+ seconds\.$/,
  })
  const [row] = await rows()
  t.ok(row!.next_at.getTime() < Date.now() + 150_000, 'nothing was taken for it')
  await forget()
})

t.test('a job that waits says so', async t => {
  // A database of its own, so that only this runner takes the job.
  const own = await freshDb()
  const { shops } = composed(
    [{ ...demo, rate: () => ({ perSecond: 2, burst: 1 }) }],
    shopRates(own),
  )
  const store = await seedStore(own)
  const jobs = startJobs({ db: own, clock: () => now.at, log: pino({ level: 'silent' }) })
  let said: string | null = null
  jobs.on('leadMail', async ({ id }) => {
    await Promise.all([1, 2, 3].map(() => shops.themes(firstShop)))
    const row = await own.kysely
      .selectFrom('jobs')
      .select('message')
      .where('job_id', '=', id)
      .executeTakeFirstOrThrow()
    said = row.message
  })
  await jobs.add(own.kysely, { storeId: store, kind: 'leadMail' })
  await jobs.runNow()
  await jobs.stop()
  await own.close()
  t.equal(said, 'The shop’s platform lets us do 2 calls a second; waiting.')
})

t.test('what the platform refuses lowers the budget, is waited for and then done', async t => {
  shop.rate.current = { perSecond: 10, burst: 1 }
  t.teardown(() => {
    shop.rate.current = null
  })
  const unlimited = processWith(null)
  const found = await Promise.all(
    Array.from({ length: 6 }, () => unlimited.countProducts(firstShop)),
  )
  t.same(new Set(found), new Set([24]))
  t.ok(shop.rate.refused > 0)
  const [row] = await rows()
  t.ok(row!.slowed_until > new Date(), 'for every process')
  const limited = processWith({ perSecond: 100, burst: 1 })
  t.ok(
    (await seconds(() => Promise.all([1, 2, 3].map(() => limited.countProducts(firstShop))))) >=
      1 / 2,
    'and also for one that allows more',
  )
  await forget()
})

t.test('a platform that refuses every call stops nothing for long', async t => {
  const refusing = (retryAfter: number, waitsFor?: number) => {
    const tried = { count: 0 }
    const themes = async () => {
      tried.count++
      throw new Throttled('No.', retryAfter)
    }
    const adapter = { ...demo, themes, rate: () => ({ perSecond: 100, burst: 1 }) }
    return { tried, shops: composed([adapter], shopRates(db, { waitsFor })).shops }
  }
  const yearLong = refusing(31_536_000)
  await t.rejects(
    asPerson(() => yearLong.shops.themes(firstShop), 2_000),
    like({ status: 503 }),
  )
  const [row] = await rows()
  t.ok(row!.next_at.getTime() < Date.now() + 2 * 60_000, 'a mistaken answer is soon forgotten')
  await forget()

  const { tried, shops } = refusing(0.05, 500)
  await t.rejects(shops.themes(firstShop), like({ status: 503 }), 'so its job ends')
  t.ok(tried.count > 1, 'after some tries')
  t.ok(tried.count < 20, `${tried.count} tries`)
  await forget()
})

t.test('the person’s refusal passes through the API as a 503', async t => {
  shop.rate.current = { perSecond: 0.02, burst: 1 }
  t.teardown(() => {
    shop.rate.current = null
  })
  await t.rejects(
    (async () => {
      for (let n = 0; n < 3; n++) await call('themes', {})
    })(),
    like({ status: 503 }),
  )
  await forget()
})

t.test('words', t => {
  t.equal(rateWords(2), 'The shop’s platform lets us do 2 calls a second; waiting.')
  t.equal(rateWords(1.5), 'The shop’s platform lets us do 1 call a second; waiting.')
  t.match(busyShop(0.25, 1), /1 call every 4 seconds, .* Try again in a second\.$/)
  t.end()
})
