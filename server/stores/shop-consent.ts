import type { FastifyRequest } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import type { ConsentFound } from '../../domain/stores/shop-consent.ts'
import { apiOf } from '../session/visit.ts'

/**
 * How the shop asks its visitors for consent. A platform that does not answer, or a permission that
 * is missing, is said in place of the settings and stops nothing.
 */
export const shopConsent = (request: FastifyRequest): Promise<ConsentFound> =>
  apiOf(request)
    .storeConsent({})
    .catch((error: unknown) => {
      if (!(error instanceof HttpProblem) || (error.status < 500 && error.status !== 422))
        throw error
      return { problem: error.message }
    })
