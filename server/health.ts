import type { FastifyInstance } from 'fastify'

/**
 * `/healthz`: this process is alive. `/readyz`: it can take requests, which it can only while the
 * engine is ready too; otherwise 503.
 */
export function health(
  app: FastifyInstance,
  { isReady }: { isReady: () => Promise<boolean> },
): void {
  app.get('/healthz', async () => ({ ok: true }))
  app.get('/readyz', async (_, reply) => {
    const ok = await isReady()
    return reply.code(ok ? 200 : 503).send({ ok })
  })
}
