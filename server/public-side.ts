import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Transform } from 'node:stream'
import { Pool } from 'undici'
import { HttpProblem } from '../domain/problem.ts'

/** Of the engine's public side: what each path may take, in bytes. */
const limits: [path: string, bytes: number][] = [['/collect', 64 * 1024], ['/s/*', 0], ['/webhooks/*', 1024 * 1024]]
/** Headers that concern one connection alone. */
const ofConnection = new Set(['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'host', 'cookie', 'x-forwarded-for', 'expect'])

/**
 * The engine's public side on the app's own port: script, collector and webhooks. Bodies stream through as they come,
 * byte for byte, since webhooks are signed over them.
 */
export async function publicSide(app: FastifyInstance, { upstreamOrigin }: { upstreamOrigin: string }): Promise<void> {
  const pool = new Pool(upstreamOrigin, { connections: 64, headersTimeout: 30_000, bodyTimeout: 30_000 })
  app.addHook('onClose', () => pool.destroy())
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_, payload, done) => done(null, payload))
  app.setErrorHandler((error: Error, request, reply) => {
    const status = error instanceof HttpProblem ? error.status : 502
    if (status === 502) request.log.error({ err: error }, 'public side')
    return reply.code(status).send({ message: error instanceof HttpProblem ? error.message : 'The engine cannot be reached.', error: status, uuid: request.id })
  })
  for (const [url, bytes] of limits)
    app.route({ method: ['GET', 'POST', 'OPTIONS'], url, bodyLimit: Math.max(bytes, 1), handler: (request, reply) => pass(pool, request, reply, bytes) })
}

async function pass(pool: Pool, request: FastifyRequest, reply: FastifyReply, limit: number): Promise<FastifyReply> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge()
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !ofConnection.has(name)))
  const hasBody = request.method === 'POST'
  const body = hasBody ? capped(request, limit) : null
  const answer = await pool.request({ method: request.method as 'GET' | 'POST' | 'OPTIONS', path: request.url, headers: { ...headers, 'x-forwarded-for': request.ip }, body })
    .catch((error: unknown) => { throw body?.errored instanceof HttpProblem ? body.errored : error })
  for (const [name, value] of Object.entries(answer.headers)) if (value !== undefined && !ofConnection.has(name)) reply.header(name, value)
  return reply.code(answer.statusCode).send(answer.body)
}

/** A body whose length was not told, or not truly, is cut off at the limit. */
function capped(request: FastifyRequest, limit: number): Transform {
  let seen = 0
  return request.raw.pipe(new Transform({
    transform(chunk: Buffer, _, done) {
      seen += chunk.length
      done(seen > limit ? tooLarge() : null, chunk)
    },
  }))
}
const tooLarge = () => new HttpProblem(413, 'This is larger than can be taken in.')
