import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
} from 'fastify'
import { HttpProblem, type Problem, VendorProblem, vendorErrors } from '../../domain/problem.ts'
import { quotaWords } from '../../domain/quota.ts'
import { DatabaseLost } from '../db/lost.ts'
import { isDiskFull } from '../db/disk.ts'
import { type Outside, setCommonHeaders } from './security.ts'

/**
 * Sends every error in one shape. Its uuid is the request's id, so that the log line can be found.
 * Internal details stay in the log.
 */
export function problems(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError | HttpProblem, request, reply) => {
    if (error instanceof DatabaseLost) {
      request.log.warn({ err: error }, 'request refused: the database does not answer')
      const problem: Problem = {
        message: 'The database does not answer just now. Send this again.',
        error: 503,
        uuid: request.id,
      }
      return reply
        .code(503)
        .header('retry-after', 1)
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(problem))
    }
    // Postgres cancelled the statement, because it took longer than a merchant's call may
    // (store-gate.ts).
    if ((error as { code?: unknown }).code === '57014') {
      request.log.warn({ err: error }, 'a statement took too long')
      const problem: Problem = { message: quotaWords.statement, error: 503, uuid: request.id }
      return reply.code(503).type('application/json; charset=utf-8').send(JSON.stringify(problem))
    }
    if (isDiskFull(error)) {
      request.log.error({ err: error }, 'the disk is full')
      const problem: Problem = {
        message:
          'The disk of this server is full, so nothing can be saved just now. Its operator can see this too.',
        error: 503,
        uuid: request.id,
      }
      return reply.code(503).type('application/json; charset=utf-8').send(JSON.stringify(problem))
    }
    const status = error instanceof HttpProblem ? error.status : (error.statusCode ?? 500)
    const isOurs = error instanceof HttpProblem || status < 500
    if (status >= 500) request.log.error({ err: error }, 'request failed')
    const problem: Problem = {
      message: isOurs ? error.message : 'Something went wrong on our side.',
      error: error instanceof VendorProblem ? vendorErrors[error.vendor] : status,
      uuid: request.id,
    }
    if (error instanceof HttpProblem && error.fields.length > 0) problem.fields = error.fields
    return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(problem))
  })
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({
      message: 'There is nothing at this address.',
      error: 404,
      uuid: request.id,
    } satisfies Problem),
  )
}

/**
 * Answers what Fastify refuses before it finds a route, such as an address that cannot be decoded.
 */
export const frameworkProblem =
  (outside: Outside) =>
  (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    setCommonHeaders(reply, outside)
    const status = error.statusCode ?? 500
    void reply.code(status).send({
      message: status < 500 ? error.message : 'Something went wrong on our side.',
      error: status,
      uuid: request.id,
    } satisfies Problem)
  }

/**
 * A logger that removes data from errors: a database error contains the statement's values, and its
 * detail contains the row.
 */
export const withoutValues = (log: FastifyBaseLogger): FastifyBaseLogger =>
  log.child({}, { serializers: { err: errorForLog } })

function errorForLog(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack, cause, code, status, table, column, constraint, routine } =
    error as Error & Record<string, unknown>
  return {
    type: name,
    message,
    stack,
    code,
    status,
    table,
    column,
    constraint,
    routine,
    ...(cause !== undefined && { cause: errorForLog(cause) }),
  }
}
