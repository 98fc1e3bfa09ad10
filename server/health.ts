import type { FastifyInstance } from 'fastify'

/** Alive: this process answers. Ready: it may be given work, which it can do only while the engine behind it is ready too. */
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
