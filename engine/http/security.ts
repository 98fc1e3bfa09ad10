import type { FastifyInstance, FastifyReply } from 'fastify'
import type { EngineConfig } from '../config.ts'

/** The public origins of the engine, from which it knows whether clients use https. */
export type Outside = Pick<EngineConfig, 'PUBLIC_ORIGIN' | 'API_PUBLIC_ORIGIN'>

/**
 * Sets headers on every answer, including errors. Over https they tell browsers to use only https.
 */
export function commonHeaders(app: FastifyInstance, outside: Outside): void {
  app.addHook('onRequest', async (_, reply) => {
    setCommonHeaders(reply, outside)
  })
}

/** For answers that are sent before any hook runs. */
export function setCommonHeaders(
  reply: FastifyReply,
  { PUBLIC_ORIGIN, API_PUBLIC_ORIGIN }: Outside,
): void {
  reply.headers({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
  if ([PUBLIC_ORIGIN, API_PUBLIC_ORIGIN].some(origin => origin?.startsWith('https:')))
    reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains')
}
