import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import { minute } from '../../domain/time-units.ts'
import { clientOf } from '../../domain/events/client-address.ts'

/**
 * Maximum number of remembered addresses. When there are more, the one not seen for longest is
 * dropped.
 */
const addressesKept = 50_000

export const tooMany = (): HttpProblem =>
  new HttpProblem(429, 'Too many requests in this minute. Try again later.')

/**
 * Lets the routes of `app` be limited by address (`config.rateLimit`) or by hand
 * (`app.createRateLimit`), per minute.
 * Counts are in this process's memory, so each process has the full limit. A refusal is a 429 with
 * Retry-After.
 */
export async function limitable(app: FastifyInstance): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    timeWindow: minute,
    cache: addressesKept,
    errorResponseBuilder: tooMany,
    keyGenerator: request => clientOf(request.ip),
    // Clients only need Retry-After, so the other headers are left out.
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
