import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { Pool } from 'undici'
import { HttpProblem } from '../../domain/problem.ts'
import { fairTurns } from '../../domain/fair-turns.ts'
import { type BodyLimits, bodyReader, tooLarge } from './body-reader.ts'

/**
 * The paths of the engine's public side, and the most bytes that the body of a request may have.
 */
const limits: [path: string, bytes: number][] = [
  ['/collect', 64 * 1024],
  ['/collect/order', 4 * 1024],
  ['/s/*', 0],
  ['/webhooks/*', 1024 * 1024],
]
/**
/**
 * How many beacons are under way to the engine, how many may wait for it, and for how long
 * (milliseconds). Browsers keep the events of refused beacons and send them again. A shop has at
 * most half of each (fair-turns.ts).
 */
const beaconTurns = { underWay: 128, waiting: 400, wait: 30_000 }
const tooMuch = () => new HttpProblem(503, 'Too much is waiting. Send these events again.')
const usualLimits: BodyLimits = { time: 15_000, held: 64 * 1024 * 1024 }
/**
 * Headers that are not passed on: those of a single connection, cookies, and those that are set
 * here.
 */
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

/**
 * `addressHeader`: the edge's header with the client's address. It is read here and not passed on:
 * the engine trusts this app, so what a client wrote into it must not reach the engine.
 */
export type PublicSideOptions = {
  upstreamOrigin: string
  addressHeader?: string | undefined
  bodies?: BodyLimits
}

/**
 * The engine's public side on the app's own port: script, collector and webhooks. Bodies are passed
 * on byte for byte, because webhooks are signed over them. Requests and answers are read completely
 * before they are passed on, so that a slow client never holds a connection to the engine.
 */
export async function publicSide(
  app: FastifyInstance,
  { upstreamOrigin, addressHeader, bodies = usualLimits }: PublicSideOptions,
): Promise<void> {
  // Two pools, because beacons may wait for their store's turn: they must not hold up the script
  // and the webhooks of other stores.
  const [beacons, others] = [beaconTurns.underWay, 64].map(
    connections =>
      new Pool(upstreamOrigin, { connections, headersTimeout: 30_000, bodyTimeout: 30_000 }),
  ) as [Pool, Pool]
  const turns = fairTurns({
    all: beaconTurns.underWay,
    each: beaconTurns.underWay,
    queue: { places: beaconTurns.waiting, refusal: tooMuch },
  })
  const readBody = bodyReader(bodies)
  app.addHook('onClose', () => Promise.all([beacons.destroy(), others.destroy()]))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) => {
    const limit = request.routeOptions.bodyLimit
    if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge()
    return readBody(payload, limit)
  })
  app.setErrorHandler((error: HttpProblem | FastifyError, request, reply) => {
    // An error of the client has its own status. Every other error means that the engine cannot be
    // reached.
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
      handler: async (request, reply) => {
        if (!url.startsWith('/collect')) return pass(others, request, reply, addressHeader)
        const late = AbortSignal.timeout(beaconTurns.wait)
        const end = await turns.take(shopOf(request.body), late).catch(() => {
          throw tooMuch()
        })
        return pass(beacons, request, reply, addressHeader).finally(end)
      },
    })
}

/** The shop that a beacon names; '' of what is none, which the engine refuses at once. */
function shopOf(body: unknown): string {
  try {
    const { shop } = JSON.parse(String(body)) as { shop?: unknown }
    return String(shop)
  } catch {
    return ''
  }
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
