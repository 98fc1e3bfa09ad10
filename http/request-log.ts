import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'

/** Stands in the log, in errors of the API and on error pages. */
export const newRequestId = (): string => randomUUID()

/** Writes one line a request, with the path and never the query, which may carry tokens. */
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
