import { pino } from 'pino'
import { buildEngine } from './app.ts'
import { engineConfig } from './config.ts'
import { metricsConfig } from './metrics-config.ts'
import { listenForMetrics, processMetrics } from './metrics-listener.ts'

/** The engine by itself; server/main.ts runs it together with the app and the demo shop. */
try {
  const config = engineConfig(process.env)
  const log = pino({ level: process.env['LOG_LEVEL'] || 'info', redact: ['req.headers.authorization', 'req.headers.cookie'] })
  const metricsAt = metricsConfig(process.env), own = metricsAt && processMetrics()
  const { app, metrics, close } = await buildEngine({ config, log, ...(own && { onAnswered: own.answered('engine') }) })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => { close().then(() => process.exit(0), () => process.exit(1)) })
  await app.listen({ port: config.ENGINE_PORT, host: config.ENGINE_HOST })
  if (own) await listenForMetrics(metricsAt, [own.text, metrics], log)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
