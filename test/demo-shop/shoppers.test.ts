import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { appLink } from '../../demo-shop/admin/app-link.ts'
import { buildDemoShop } from '../../demo-shop/app.ts'
import type { Deeds } from '../../demo-shop/shoppers/deeds.ts'
import { buttonTest as button, guideTest as guide } from '../../demo-shop/shoppers/demo-tests.ts'
import type { DemoTest } from '../../demo-shop/shoppers/demo-test-drafts.ts'
import { runShoppers, type ShoppersOptions } from '../../demo-shop/shoppers/run.ts'
import { runningSince } from '../../demo-shop/shoppers/running-since.ts'
import { buildEngine } from '../../engine/app.ts'
import { engineConfig } from '../../engine/config.ts'
import { caller } from '../engine/support/engine.ts'
import { freshDb } from '../engine/support/harness.ts'
import { holdPort } from '../ports.ts'
import { appKey, appOrigin, appSecret, temporaryFolder } from './support/demo-shop.ts'

const day = 86_400_000

/**
 * Starts an engine and a demo shop, each on its own port. The test's title is the seed of its
 * shoppers: another title gives other shoppers.
 */
async function startBoth(t: Test) {
  const [ofEngine, ofShop] = [await holdPort(), await holdPort()]
  const [engineOrigin, shopOrigin] = [
    `http://localhost:${ofEngine.port}`,
    `http://localhost:${ofShop.port}`,
  ]
  const dataDir = temporaryFolder(t)
  const runtimeFile = pathToFileURL(join(dataDir, 'storefront.js'))
  writeFileSync(
    runtimeFile,
    '"use strict";(()=>{globalThis.ran={"shop":"not this one"};globalThis.config=__TWINSHELF_CONFIG__})()',
  )
  const db = await freshDb()
  const now = { shifted: null as Date | null }
  const clock = () => now.shifted ?? new Date()
  const config = engineConfig({
    DATA_DIR: dataDir,
    PUBLIC_ORIGIN: engineOrigin,
    DEMO_SHOP_ORIGIN: shopOrigin,
    SESSION_SECRET: 'a-session-secret-of-this-test',
    DEMO_APP_KEY: appKey,
    DEMO_APP_SECRET: appSecret,
  })
  const engine = await buildEngine({ config, db, clock, runtimeFile, publishEvery: 50 })
  const shop = await buildDemoShop({
    origin: shopOrigin,
    appOrigin,
    engineOrigin,
    dataDir,
    appKey,
    appSecret,
  })
  t.teardown(async () => {
    await shop.close()
    await engine.close()
    await db.close()
  })
  await ofEngine.release()
  await engine.app.listen({ port: ofEngine.port, host: 'localhost' })
  await ofShop.release()
  await shop.app.listen({ port: ofShop.port, host: 'localhost' })
  const call = caller(engine, () => token)
  const signIn = async () => {
    const link = await appLink(
      { appOrigin, appKey, appSecret, clock: () => new Date() },
      '/',
      randomUUID(),
    )
    return (await call('auth', { body: { idToken: link!.searchParams.get('id_token')! } })).token
  }
  let token = await signIn()
  return {
    shopOrigin,
    engineOrigin,
    /** Launches a test at that moment. */
    launch: async ({ draft, domSelectors }: DemoTest, at: Date) => {
      now.shifted = at
      token = await signIn()
      const { id, hypotheses } = await call('createDraft', { body: draft })
      await call('setDomSelectors', {
        params: { id: hypotheses[1]!.id },
        body: { domSelectors: (domSelectors ?? []).map(selector => ({ id: '', ...selector })) },
      })
      const { testId } = await call('launchDraft', { params: { id } })
      now.shifted = null
      token = await signIn()
      return testId
    },
    shoppers: (options: Omit<ShoppersOptions, 'shopOrigin' | 'appSecret' | 'seed'>) =>
      runShoppers({ shopOrigin, appSecret, seed: t.name, ...options }),
    /** The report's figures, in the shape of what the shoppers did. */
    reported: async (id: string): Promise<Deeds['tests'][number]['arms']> => {
      await shop.delivered()
      await engine.rollUp()
      const { summary } = await call('test', { params: { id } })
      const count = (goal: string, arm: 0 | 1) =>
        summary.goals.find(g => g.goal === goal)!.arms[arm].count
      const of = (arm: 0 | 1) => ({
        exposed: summary.visitors[arm],
        clickers: count('ClickThroughRate', arm),
        adders: count('AddToCartRate', arm),
        buyers: count('ConversionRate', arm),
        orders: summary.ledger.arms[arm].orders,
        revenue: summary.ledger.arms[arm].amount,
      })
      return [of(0), of(1)]
    },
  }
}

const ofTest = (deeds: Deeds, id: string) => deeds.tests.find(test => test.id === id)!.arms

t.test(
  'shoppers who come now: the report says what they did, to the unit and the cent',
  async t => {
    const product = await startBoth(t)
    const [element, redirect] = [
      await product.launch(button, new Date()),
      await product.launch(guide, new Date()),
    ]
    const deeds = await product.shoppers({ visitors: 300, lift: 0.3 })
    t.equal(deeds.visitors, 300)
    for (const id of [element, redirect]) {
      t.same(await product.reported(id), ofTest(deeds, id))
      t.ok(
        ofTest(deeds, id).every(arm => arm.exposed > 10),
        'visitors saw both arms',
      )
    }
    t.ok(ofTest(deeds, element).some(arm => arm.revenue > 0))
  },
)

t.test(
  'shoppers of past days: they come from the moment a test runs, on days of their own',
  async t => {
    const product = await startBoth(t)
    const now = Date.now()
    const id = await product.launch(button, new Date(now - 5 * day))
    const since = (tests: string[]) =>
      runningSince({ appOrigin, engineOrigin: product.engineOrigin, appKey, appSecret }, tests)
    t.same(await since([id]), { [id]: new Date(now - 5 * day) })
    const deeds = await product.shoppers({
      visitors: 400,
      lift: 0.3,
      span: { from: new Date(now - 10 * day), to: new Date(now) },
      runningSince: since,
    })
    t.same(await product.reported(id), ofTest(deeds, id))
    const met = ofTest(deeds, id)[0].exposed + ofTest(deeds, id)[1].exposed
    t.ok(met > 60 && met < 240, `about half came before the test: ${met} met it`)
  },
)

t.test(
  'a collector that fails and answers that are lost: sent again until acknowledged, and counted once',
  async t => {
    const product = await startBoth(t)
    const id = await product.launch(button, new Date())
    let requests = 0
    // Of every five requests, one fails before the collector and one is stored but its response is
    // lost.
    const flaky = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const fate = requests++ % 5
        if (fate === 0) return void response.writeHead(503).end()
        fetch(`${product.engineOrigin}/collect`, {
          method: 'POST',
          body: Buffer.concat(chunks),
          headers: {
            'content-type': 'text/plain',
            'user-agent': request.headers['user-agent'] ?? '',
            origin: 'https://fern-and-kiln.demo-shop.test',
          },
        }).then(
          ({ status }) => {
            if (fate === 1) request.socket.destroy()
            else response.writeHead(status).end()
          },
          () => request.socket.destroy(),
        )
      })
    })
    flaky.listen(0, 'localhost')
    await once(flaky, 'listening')
    t.teardown(() => {
      flaky.closeAllConnections()
      flaky.close()
    })
    const deeds = await product.shoppers({
      visitors: 40,
      lift: 0.3,
      collect: `http://localhost:${(flaky.address() as AddressInfo).port}/collect`,
    })
    t.ok(deeds.retries > 15, `${deeds.retries} retries`)
    t.same(await product.reported(id), ofTest(deeds, id))
  },
)

t.test(
  'the run about one test begins on its pages, and refuses a test that is not running',
  async t => {
    const product = await startBoth(t)
    const id = await product.launch(guide, new Date())
    const deeds = await product.shoppers({ visitors: 60, lift: 0.3, test: id })
    const [control, variant] = ofTest(deeds, id)
    t.ok(
      control.exposed + variant.exposed >= 40,
      `most of 60: ${control.exposed + variant.exposed}`,
    )
    await t.rejects(product.shoppers({ visitors: 1, lift: 0, test: randomUUID() }), /No test/)
  },
)
