import { pino } from 'pino'
import { buildDemoShop, type DemoShop } from '../demo-shop/app.ts'
import {
  adminWarning,
  demoShopConfig,
  type DemoShopConfig,
  isAdminClosed,
  shopOptions,
} from '../demo-shop/config.ts'
import { shop } from '../demo-shop/shop.ts'
import { storePath } from '../demo-shop/shopify-web/launch.ts'
import { faceOptions } from '../demo-shop/shopify/face-config.ts'
import { fillDemoShop } from '../demo-shop/shoppers/fill.ts'
import { buildEngine, type Engine } from '../engine/app.ts'
import { engineConfig, type EngineConfig } from '../engine/config.ts'
import { closable, stopWithin } from '../engine/closing.ts'
import { demoStores } from '../engine/platform/demo/demo-store-list.ts'
import { shopOf } from '../engine/platform/demo/demo-stores.ts'
import { metricsConfig } from '../engine/operators/metrics-config.ts'
import { listenForMetrics, processMetrics } from '../engine/operators/metrics-listener.ts'
import { forOperators } from '../engine/operators/operators.ts'
import { buildApp } from './app.ts'
import { appConfig } from './config.ts'
import { endFirstRun, firstRun } from './first-run.ts'
import { productConfig } from './product-config.ts'

/**
 * The whole product in one process: the only place where app, engine and demo shop meet, and even
 * here they talk over HTTP. With API_ORIGIN the engine is elsewhere, with DEMO_SHOP=off there is no
 * demo shop.
 */
/**
 * The running parts in the order in which they stop: first those that take requests, last those
 * that the others still write to.
 */
const running: { close: () => Promise<unknown> }[] = []
/** Set only while the demo shop's past is being made. */
let shifted: Date | null = null
const clock = () => shifted ?? new Date()

try {
  await start()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  await stop(1)
}

async function start(): Promise<void> {
  // Everything is checked before anything starts.
  const product = productConfig(process.env)
  const config = appConfig(process.env)
  const own = config.API_ORIGIN ? null : behindApp(engineConfig(process.env))
  const metricsAt = metricsConfig(process.env),
    metrics = metricsAt && processMetrics()
  const demo = product.DEMO_SHOP === 'off' ? null : demoShopConfig(process.env)
  const log = pino({
    level: product.LOG_LEVEL,
    redact: ['req.headers.authorization', 'req.headers.cookie'],
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(0))

  const past = own && demo && product.DEMO_DATA === 'on' ? firstRun(own.DATA_DIR) : null
  const operators = own && forOperators(own, log, metrics)
  const build = (config: EngineConfig) =>
    buildEngine({
      config,
      log,
      clock,
      isPastMade: () => shifted !== null,
      backups: operators!.backups,
      ...(metrics && { onAnswered: metrics.answered('engine') }),
    })
  let engine = own && (await build(own))
  if (engine && own && past?.isInterrupted && !own.DATABASE_URL) {
    // The engine has locked the data folder, so no other process uses it. Only now may its data be
    // moved.
    await engine.close()
    log.warn('the first start was interrupted: its data is moved to *.interrupted and made again')
    past.wipe()
    engine = await build(own)
  }
  // No demo data will be made, so merchants may use the data folder from now on.
  if (own && !past) endFirstRun(own.DATA_DIR)
  if (engine && own && operators) {
    running.unshift(closable(engine, 2_000))
    await operators.begin(engine)
    running.unshift(operators)
    await engine.app.listen({ port: own.ENGINE_PORT, host: own.ENGINE_HOST })
  }
  if (demo) {
    const { shopify, ...options } = shopOptions(demo)
    // The past is from before the shop installed our app at another platform. Otherwise that
    // platform would tell us of all its orders, again and again.
    const startsInstalled = !past?.isDue
    const demoShop = await buildDemoShop({
      ...options,
      shopify: shopify && { ...shopify, startsInstalled },
      log,
    })
    running.unshift(closable(demoShop, 1_500, 2_500))
    await demoShop.app.listen({ port: demo.DEMO_SHOP_PORT, host: demo.DEMO_SHOP_HOST })
    const warning = adminWarning(demo)
    if (warning) log.warn(warning)
    if (past?.isDue) {
      past.begin()
      await fill(engine!, own!, demoShop, demo)
      demoShop.shopify?.installation.install()
      past.end()
    }
  }
  const app = await buildApp({
    config,
    upstreamOrigin: config.API_ORIGIN ?? `http://127.0.0.1:${own!.ENGINE_PORT}`,
    log,
    ...(metrics && { onAnswered: metrics.answered('app') }),
  })
  running.unshift(closable(app, 4_000, 6_000))
  await app.app.listen({ port: config.PORT, host: config.HOST })
  if (metrics) {
    metrics.gauge('live_pages', 'Open pages of merchants that listen for news.', app.livePages)
    running.unshift(
      await listenForMetrics(metricsAt, [metrics.text, ...(engine ? [engine.metrics] : [])], log),
    )
  }
  console.log(`Ready after ${process.uptime().toFixed(1)} s.`)
  const staff = engine && product.DEMO_DATA === 'on' ? await engine.samples.staff() : null
  if (staff)
    console.log(
      `  staff's panel                  ${config.APP_ORIGIN}/admin  (${staff.email}, ${staff.password})`,
    )
  if (own)
    console.log(`  the API, to read               http://localhost:${own.ENGINE_PORT}/api/docs`)
  if (demo) {
    for (const admin of adminsOf(demo, own?.PLATFORMS ?? 'demo'))
      console.log(`  Twinshelf in the shop's admin  ${admin}`)
    console.log(`  the demo shop                  ${demo.DEMO_SHOP_ORIGIN}`)
  }
}

/** Where the demo shop's admin shows the app: one address for each platform that it stands for. */
function adminsOf(demo: DemoShopConfig, platforms: string): string[] {
  if (isAdminClosed(demo)) return ['closed: set DEMO_ADMIN_PASSWORD to open it']
  const on = platforms.split(',')
  return [
    ...(on.includes('demo') ? ['/admin/apps/twinshelf'] : []),
    ...(on.includes('shopify') && faceOptions(demo)
      ? [`${storePath}/apps/${demo.SHOPIFY_APP_HANDLE}`]
      : []),
  ].map(path => demo.DEMO_ADMIN_ORIGIN + path)
}

/** Runs only at the first start: a month of simulated shoppers, so that no screen is empty. */
async function fill(
  engine: Engine,
  own: EngineConfig,
  demoShop: DemoShop,
  demo: DemoShopConfig,
): Promise<void> {
  console.log('First start: simulated shoppers are giving the demo shop a past …')
  let told = 0
  const isFilled = await fillDemoShop({
    shopOrigin: `http://127.0.0.1:${demo.DEMO_SHOP_PORT}`,
    engineOrigin: `http://127.0.0.1:${own.ENGINE_PORT}`,
    appOrigin: demo.APP_ORIGIN,
    appKey: demo.DEMO_APP_KEY,
    appSecret: demo.DEMO_APP_SECRET,
    setClock: at => {
      shifted = at
    },
    rollUp: engine.rollUp,
    runJobs: engine.runJobs,
    staff: await engine.samples.staff(),
    otherStores: demoStores.map(store => ({
      shop: shopOf(store),
      visitors: store.visitors,
      days: Math.min(28, store.installed),
    })),
    seedStores: engine.samples.addStores,
    turnScriptOn: themeId => demoShop.scriptSwitches.set(themeId, true),
    delivered: demoShop.delivered,
    onProgress: (done, total) => {
      const tenth = Math.floor((done / total) * 10)
      if (tenth > told)
        console.log(
          `  ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} shoppers`,
        )
      told = Math.max(told, tenth)
    },
  })
  if (!isFilled) return
  await engine.samples.markStore(shop.shop)
  // Proposals use counts of full days, and all the simulated days are over.
  await engine.countPages()
}

/** Lets the engine trust the client addresses that the app, on the same machine, sends along. */
function behindApp(config: EngineConfig): EngineConfig {
  return { ...config, TRUST_PROXY: ['loopback', config.TRUST_PROXY].filter(Boolean).join() }
}

/**
 * Stops the parts in order: refuses new requests, gives those under way some seconds to finish, and
 * closes the database last.
 */
async function stop(code: number): Promise<void> {
  setTimeout(() => {
    console.error(`Not closed within ${stopWithin / 1000} seconds; stopped all the same.`)
    process.exit(1)
  }, stopWithin).unref()
  for (const part of running.splice(0))
    await part.close().catch((error: unknown) => {
      console.error(error)
      code = 1
    })
  process.exit(code)
}
