import { pino } from 'pino'
import { buildEngine } from './app.ts'
import { closable, stopWithin } from './closing.ts'
import { engineConfig } from './config.ts'
import { metricsConfig } from './operators/metrics-config.ts'
import { listenForMetrics, processMetrics } from './operators/metrics-listener.ts'
import { forOperators } from './operators/operators.ts'

/** Runs the engine alone. server/main.ts runs it together with the app. */
try {
  const config = engineConfig(process.env)
  const log = pino({
    level: process.env['LOG_LEVEL'] || 'info',
    redact: ['req.headers.authorization', 'req.headers.cookie'],
  })
  const metricsAt = metricsConfig(process.env),
    own = metricsAt && processMetrics()
  const operators = forOperators(config, log, own)
  const engine = await buildEngine({
    config,
    log,
    backups: operators.backups,
    ...(own && { onAnswered: own.answered('engine') }),
  })
  await operators.begin(engine)
  const { close } = closable(
    { app: engine.app, close: () => operators.close().then(engine.close) },
    5_000,
  )
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      setTimeout(() => process.exit(1), stopWithin).unref()
      close().then(
        () => process.exit(0),
        () => process.exit(1),
      )
    })
  await engine.app.listen({ port: config.ENGINE_PORT, host: config.ENGINE_HOST })
  if (own) await listenForMetrics(metricsAt, [own.text, engine.metrics], log)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
