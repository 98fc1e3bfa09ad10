import type { AddressInfo } from 'node:net'
import { buildApp } from '../../server/app.ts'
import { appConfig } from '../../server/config.ts'

/**
 * One of several processes that serve the same app (round-robin.ts). The argument is JSON with the
 * origins of app and engine.
 */
const { origin, engineOrigin } = JSON.parse(process.argv[2]!) as Record<string, string>
const { app, close } = await buildApp({
  config: appConfig({ APP_ORIGIN: origin }),
  upstreamOrigin: engineOrigin!,
})
await app.listen({ port: 0, host: '127.0.0.1' })
process.on('disconnect', () => void close().finally(() => process.exit(0)))
process.send!({ port: (app.server.address() as AddressInfo).port })
