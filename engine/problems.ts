import { randomUUID } from 'node:crypto'
import type { FastifyError, FastifyInstance } from 'fastify'
import { HttpProblem, type Problem } from '../domain/problem.ts'

export const newRequestId = (): string => randomUUID()

/** Every error in the one shape; its uuid is the request's, so that the log line can be found. What went wrong inside stays in the log. */
export function problems(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError | HttpProblem, request, reply) => {
    const status = error instanceof HttpProblem ? error.status : (error.statusCode ?? 500)
    const isOurs = error instanceof HttpProblem || status < 500
    if (status >= 500) request.log.error({ err: error }, 'request failed')
    const problem: Problem = { message: isOurs ? error.message : 'Something went wrong on our side.', error: status, uuid: request.id }
    if (error instanceof HttpProblem && error.fields.length > 0) problem.fields = error.fields
    return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(problem))
  })
  app.setNotFoundHandler((request, reply) => reply.code(404).send({ message: 'There is nothing at this address.', error: 404, uuid: request.id } satisfies Problem))
}

/** One line a request, with the path and never the query, which may carry tokens. */
export function requestLog(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info({ method: request.method, path: request.url.split('?', 1)[0], status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'request')
  })
}
