import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Answered } from '../../domain/answered.ts'
import { timeoutOptions } from '../../domain/server-timeouts.ts'
import type { MetricsAddress } from './metrics-config.ts'

/**
 * Metrics of this process: answered requests, and Node's own (event loop, memory, garbage
 * collection).
 */
export type ProcessMetrics = {
  /** Returns the function to call for every answered request of one program. */
  answered: (program: 'app' | 'engine') => (answer: Answered) => void
  /** Adds a gauge; `read` is called at each scrape. */
  gauge: (name: string, help: string, read: () => number) => void
  text: () => Promise<string>
}

const buckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10]

export function processMetrics(): ProcessMetrics {
  const registry = new Registry(),
    registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'twinshelf_requests_total',
    help: 'Requests answered.',
    labelNames: ['program', 'method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'twinshelf_request_duration_seconds',
    help: 'Time from a request to the end of its answer.',
    labelNames: ['program', 'method', 'route'],
    buckets,
    registers,
  })
  return {
    answered:
      program =>
      ({ method, route, status, seconds }) => {
        requests.inc({ program, method, route, status })
        durations.observe({ program, method, route }, seconds)
      },
    gauge: (name, help, read) =>
      registry.registerMetric(
        new Gauge({
          name: `twinshelf_${name}`,
          help,
          registers: [],
          collect() {
            this.set(read())
          },
        }),
      ),
    text: () => registry.metrics(),
  }
}

/**
 * Serves these texts, one after the other, at /metrics on a port of its own. Never throws: the
 * product must also run when its metrics cannot be served.
 */
export async function listenForMetrics(
  { port, host }: NonNullable<MetricsAddress>,
  texts: (() => Promise<string>)[],
  log: FastifyBaseLogger,
): Promise<{ port: number; server: Server; close: () => Promise<void> }> {
  const app = Fastify({ logger: false, ...timeoutOptions })
  app.get('/metrics', async (_, reply) =>
    reply
      .type(Registry.PROMETHEUS_CONTENT_TYPE)
      .send((await Promise.all(texts.map(text => text()))).join('\n')),
  )
  await app
    .listen({ port, host })
    .catch((error: unknown) =>
      log.error(
        { err: error, port, host },
        'metrics are not served: set METRICS_PORT to a free port, or to off',
      ),
    )
  return {
    port: (app.server.address() as AddressInfo | null)?.port ?? 0,
    server: app.server,
    close: () => app.close(),
  }
}
