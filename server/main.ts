import { pino } from 'pino'
import { buildDemoShop } from '../demo-shop/app.ts'
import { demoShopConfig } from '../demo-shop/config.ts'
import { buildEngine, type Engine } from '../engine/app.ts'
import { engineConfig } from '../engine/config.ts'
import { buildApp } from './app.ts'
import { appConfig } from './config.ts'
import { productConfig } from './product-config.ts'

/**
 * The whole product in one process: the only place where app, engine and demo shop meet, and even here they talk over
 * HTTP. With API_ORIGIN the engine is elsewhere, with DEMO_SHOP=off there is no demo shop.
 */
/** What runs, in the order of stopping: first what takes new work in, last what the others still write to. */
const running: { close: () => Promise<unknown> }[] = []

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
  const own = config.API_ORIGIN ? null : engineConfig(process.env)
  const shopConfig = product.DEMO_SHOP === 'off' ? null : demoShopConfig(process.env)
  const log = pino({ level: product.LOG_LEVEL, redact: ['req.headers.authorization', 'req.headers.cookie'] })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(0))

  let engine: Engine | null = null
  if (own) {
    engine = await buildEngine({ config: own, log })
    running.unshift(engine)
    await engine.app.listen({ port: own.ENGINE_PORT, host: own.ENGINE_HOST })
  }
  if (shopConfig) {
    const shop = await buildDemoShop({
      origin: shopConfig.DEMO_SHOP_ORIGIN, appOrigin: shopConfig.APP_ORIGIN, engineOrigin: shopConfig.ENGINE_ORIGIN,
      dataDir: shopConfig.DATA_DIR, appKey: shopConfig.DEMO_APP_KEY, appSecret: shopConfig.DEMO_APP_SECRET, log,
    })
    running.unshift(shop)
    await shop.app.listen({ port: shopConfig.DEMO_SHOP_PORT, host: shopConfig.DEMO_SHOP_HOST })
  }
  const app = await buildApp({ config, upstreamOrigin: config.API_ORIGIN ?? `http://127.0.0.1:${own!.ENGINE_PORT}`, log })
  running.unshift(app)
  await app.app.listen({ port: config.PORT, host: config.HOST })
  console.log(`Ready after ${process.uptime().toFixed(1)} s.`)
  if (shopConfig) console.log(`  Twinshelf in the shop's admin  ${shopConfig.DEMO_SHOP_ORIGIN}/admin/apps/twinshelf\n  the demo shop                  ${shopConfig.DEMO_SHOP_ORIGIN}`)
}

/** Orderly: new work is refused, what is under way finishes, the database closes last. */
async function stop(code: number): Promise<void> {
  for (const part of running.splice(0)) await part.close().catch((error: unknown) => { console.error(error); code = 1 })
  process.exit(code)
}
