import type { FastifyInstance, FastifyReply } from 'fastify'
import type { EngineConfig } from '../config.ts'

/** Where the engine's answers are asked for from outside, by which it knows whether that is https. */
export type Outside = Pick<EngineConfig, 'PUBLIC_ORIGIN' | 'API_PUBLIC_ORIGIN'>

/** Headers of every answer, errors too; over https browsers are told to stay there. */
export function commonHeaders(app: FastifyInstance, outside: Outside): void {
  app.addHook('onRequest', async (_, reply) => {
    setCommonHeaders(reply, outside)
  })
}

/** For what is answered before any hook runs. */
export function setCommonHeaders(
  reply: FastifyReply,
  { PUBLIC_ORIGIN, API_PUBLIC_ORIGIN }: Outside,
): void {
  reply.headers({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
  if ([PUBLIC_ORIGIN, API_PUBLIC_ORIGIN].some(origin => origin?.startsWith('https:')))
    reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains')
}
