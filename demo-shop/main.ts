import { pino } from 'pino'
import { buildDemoShop } from './app.ts'
import { adminWarning, demoShopConfig, shopOptions } from './config.ts'

/** Runs the demo shop alone; server/main.ts runs it together with the app and the engine. */
const config = demoShopConfig(process.env)
const log = pino({ level: process.env['LOG_LEVEL'] ?? 'info' })
const { app, close } = await buildDemoShop({ ...shopOptions(config), log })
const warning = adminWarning(config)
if (warning) log.warn(warning)
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => {
    close().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  })
await app.listen({ port: config.DEMO_SHOP_PORT, host: config.DEMO_SHOP_HOST })
