import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

/** A random id. The log, the API's errors and error pages show it. */
export const newRequestId = (): string => randomUUID()

/**
 * Writes one log line per request. It contains the path but never the query, which may contain
 * tokens.
 */
export function requestLog(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    )
  })
}
