import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { Pool } from 'undici'
import { HttpProblem } from '../../domain/problem.ts'
import { type BodyLimits, bodyReader, tooLarge } from './body-reader.ts'

/** Of the engine's public side: what each path may take, in bytes. */
const limits: [path: string, bytes: number][] = [
  ['/collect', 64 * 1024],
  ['/s/*', 0],
  ['/webhooks/*', 1024 * 1024],
]
/** Beacons that may wait for a connection: browsers keep the events of those beyond, and send them again. */
const queueLimit = 200
const usualLimits: BodyLimits = { time: 15_000, held: 64 * 1024 * 1024 }
/** Headers that concern one connection alone. */
const ofConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'cookie',
  'x-forwarded-for',
  'expect',
])

/** `addressHeader`: the edge's, which is read here. The engine trusts this app, so what a client wrote there must not reach it. */
export type PublicSideOptions = {
  upstreamOrigin: string
  addressHeader?: string | undefined
  bodies?: BodyLimits
}

/**
 * The engine's public side on the app's own port: script, collector and webhooks. Bodies are passed on byte for byte,
 * since webhooks are signed over them, and only once they are whole: each connection to the engine is taken up for as
 * long as the engine needs, never for as long as a client does, nor by its reading of the answer.
 */
export async function publicSide(
  app: FastifyInstance,
  { upstreamOrigin, addressHeader, bodies = usualLimits }: PublicSideOptions,
): Promise<void> {
  // Apart, since beacons may wait for their store's turn: one store's take no other store's script or webhooks with them.
  const [beacons, others] = [1, 2].map(
    () =>
      new Pool(upstreamOrigin, { connections: 64, headersTimeout: 30_000, bodyTimeout: 30_000 }),
  ) as [Pool, Pool]
  const readBody = bodyReader(bodies)
  app.addHook('onClose', () => Promise.all([beacons.destroy(), others.destroy()]))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) => {
    const limit = request.routeOptions.bodyLimit
    if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge()
    return readBody(payload, limit)
  })
  app.setErrorHandler((error: HttpProblem | FastifyError, request, reply) => {
    // Whatever the client did wrong says so itself; everything else is the engine's being away.
    const status =
      error instanceof HttpProblem
        ? error.status
        : error.statusCode !== undefined && error.statusCode < 500
          ? error.statusCode
          : 502
    if (status === 502) request.log.error({ err: error }, 'public side')
    return reply.code(status).send({
      message: status === 502 ? 'The engine cannot be reached.' : error.message,
      error: status,
      uuid: request.id,
    })
  })
  for (const [url, bodyLimit] of limits)
    app.route({
      method: ['GET', 'POST', 'OPTIONS'],
      url,
      bodyLimit: Math.max(bodyLimit, 1),
      handler: (request, reply) => {
        if (url === '/collect' && beacons.stats.queued >= queueLimit)
          throw new HttpProblem(503, 'Too much is waiting. Send these events again.')
        return pass(url === '/collect' ? beacons : others, request, reply, addressHeader)
      },
    })
}

async function pass(
  pool: Pool,
  request: FastifyRequest,
  reply: FastifyReply,
  addressHeader: string | undefined,
): Promise<FastifyReply> {
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(
      ([name]) => !ofConnection.has(name) && name !== 'content-length' && name !== addressHeader,
    ),
  )
  const body = request.method === 'POST' ? ((request.body as Buffer | undefined) ?? null) : null
  const answer = await pool.request({
    method: request.method as 'GET' | 'POST' | 'OPTIONS',
    path: request.url,
    headers: { ...headers, 'x-forwarded-for': request.ip },
    body,
  })
  const content = Buffer.from(await answer.body.arrayBuffer())
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined && !ofConnection.has(name)) reply.header(name, value)
  return reply.code(answer.statusCode).send(content)
}
