import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import { minute } from '../../domain/time-units.ts'
import { clientOf } from '../../domain/events/client-address.ts'
import type { Limits } from './shared-limits.ts'

export const tooMany = (): HttpProblem =>
  new HttpProblem(429, 'Too many requests in this minute. Try again later.')

type Answer = Parameters<FastifyRateLimitStore['incr']>[1]
type Route = Parameters<FastifyRateLimitStore['child']>[0]

/** The plugin's store of counts: each route has a budget of its own. */
function storeOf(limits: Limits) {
  return class RouteBudget implements FastifyRateLimitStore {
    #budget
    constructor(_options: unknown, name = '') {
      this.#budget = limits.budget(name)
    }
    incr(address: string, answer: Answer, _window?: number, max = Infinity): void {
      const wait = this.#budget.take(address, 1, max)
      answer(null, wait > 0 ? { current: max + 1, ttl: wait * 1000 } : { current: 1, ttl: minute })
    }
    child(route: Route): RouteBudget {
      // The types of the plugin do not say that the route's own options are in here.
      const { routeInfo } = route as unknown as { routeInfo: { method: unknown; url: string } }
      return new RouteBudget({}, `${String(routeInfo.method)} ${routeInfo.url}`)
    }
  }
}

/**
 * Lets the routes of `app` be limited by address (`config.rateLimit`), per minute. A refusal is a
 * 429 with Retry-After.
 */
export async function limitable(app: FastifyInstance, limits: Limits): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    timeWindow: minute,
    store: storeOf(limits),
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
