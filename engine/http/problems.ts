import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
} from 'fastify'
import {
  HttpProblem,
  LaterProblem,
  type Problem,
  ShopBusy,
  shopBusyError,
  VendorProblem,
  vendorErrors,
} from '../../domain/problem.ts'
import { quotaWords } from '../../domain/quota.ts'
import { isBusy } from '../db/busy.ts'
import { DatabaseLost } from '../db/lost.ts'
import { isDiskFull } from '../db/disk.ts'
import { type Outside, setCommonHeaders } from './security.ts'

/**
 * Sends every error in one shape. Its uuid is the request's id, so that the log line can be found.
 * Internal details stay in the log.
 */
export function problems(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError | HttpProblem, request, reply) => {
    const later = refusedForNow(error)
    if (later) {
      request.log[later.level ?? 'warn']({ err: error }, later.log)
      if (later.retryAfter !== undefined) reply.header('retry-after', later.retryAfter)
      const problem: Problem = { message: later.message, error: 503, uuid: request.id }
      return reply.code(503).type('application/json; charset=utf-8').send(JSON.stringify(problem))
    }
    const status = error instanceof HttpProblem ? error.status : (error.statusCode ?? 500)
    const isOurs = error instanceof HttpProblem || status < 500
    if (status >= 500) request.log.error({ err: error }, 'request failed')
    const problem: Problem = {
      message: isOurs ? error.message : 'Something went wrong on our side.',
      error: numberOf(error) ?? status,
      uuid: request.id,
    }
    if (error instanceof HttpProblem && error.fields.length > 0) problem.fields = error.fields
    if (error instanceof LaterProblem) reply.header('retry-after', error.retryAfter)
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

/** The number that tells the app of a vendor's failure; null for other errors. */
function numberOf(error: unknown): number | null {
  if (error instanceof ShopBusy) return shopBusyError
  return error instanceof VendorProblem ? vendorErrors[error.vendor] : null
}

type ForNow = { message: string; log: string; level?: 'error'; retryAfter?: number }
/** Errors that pass by themselves, or that only the operator can end: all are a 503. */
function refusedForNow(error: unknown): ForNow | null {
  if (error instanceof DatabaseLost)
    return {
      message: 'The database does not answer just now. Send this again.',
      log: 'request refused: the database does not answer',
      retryAfter: 1,
    }
  // A rebuild or an erasure holds the store (events/store-lock.ts), or the store has its share of
  // the connections in use (db/lost.ts).
  if (isBusy(error))
    return {
      message: 'Other work on this store is not finished yet. Send this again in a moment.',
      log: 'request refused: other work holds the store',
      retryAfter: 5,
    }
  // Postgres cancelled the statement, because it took longer than a merchant's call may
  // (store-gate.ts).
  if ((error as { code?: unknown }).code === '57014')
    return { message: quotaWords.statement, log: 'a statement took too long' }
  if (isDiskFull(error))
    return {
      message:
        'The disk of this server is full, so nothing can be saved just now. Its operator can see this too.',
      log: 'the disk is full',
      level: 'error',
    }
  return null
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
