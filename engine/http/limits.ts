import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import { minute } from '../../domain/time-units.ts'
import { clientOf } from './event-budget.ts'

/** Addresses remembered at a time; the one not seen for longest gives way. */
const addressesKept = 50_000

export const tooMany = (): HttpProblem =>
  new HttpProblem(429, 'Too many requests in this minute. Try again later.')

/**
 * Lets the routes of `app` be limited by address (`config.rateLimit`) or by hand (`app.createRateLimit`), a minute at a
 * time, in this process's memory: several processes let through as much each. A refusal is a 429 with Retry-After.
 */
export async function limitable(app: FastifyInstance): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    timeWindow: minute,
    cache: addressesKept,
    errorResponseBuilder: tooMany,
    keyGenerator: request => clientOf(request.ip),
    // Nobody reads what is left: only Retry-After is told.
    addHeadersOnExceeding: {
      'x-ratelimit-limit': false,
      'x-ratelimit-remaining': false,
      'x-ratelimit-reset': false,
    },
    addHeaders: {
      'x-ratelimit-limit': false,
      'x-ratelimit-remaining': false,
      'x-ratelimit-reset': false,
      'retry-after': true,
    },
  })
}
