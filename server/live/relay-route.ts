import websocket from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { paths } from '../../domain/paths.ts'
import type { Auth } from '../session/gate.ts'
import { queryOf, shopOf } from '../http/query.ts'
import type { Relay, Socket } from './relay.ts'
import { renewedBefore, tokenEnd } from '../session/session.ts'

/** Pages listen and say nothing. */
const largestFrame = 1024

export type OpenPage = Parameters<Relay['connect']>[1]

/** Where open pages listen. Whoever is no page of ours with a session is turned away without a word. */
export async function liveRoute(
  app: FastifyInstance,
  { relay, auth: { jar, session: sessionOf, apiSession, origin } }: { relay: Relay; auth: Auth },
): Promise<void> {
  await app.register(websocket, {
    options: { maxPayload: largestFrame, perMessageDeflate: false },
    // A browser that breaks the WebSocket protocol, or whose line breaks: nothing of ours went wrong.
    errorHandler: (_error, socket: Socket) => socket.terminate(),
    preClose: done => {
      // Pages come back at once: to plain answers, since nobody would let go of a socket half way between the two.
      app.server.removeAllListeners('upgrade')
      relay.close().then(() => done(), done)
    },
  })
  const renewals = new WeakMap<IncomingMessage, string[]>()
  // The answer that opens a WebSocket is not Fastify's, and a session may have been renewed for it.
  const { websocketServer } = app as unknown as {
    websocketServer: {
      on: (event: 'headers', listener: (lines: string[], request: IncomingMessage) => void) => void
    }
  }
  websocketServer.on('headers', (lines, request) => lines.push(...(renewals.get(request) ?? [])))

  async function pageOf(request: FastifyRequest): Promise<OpenPage | null> {
    if (request.headers.origin !== origin) return null
    const query = queryOf(request)
    const cookies = jar.of(request, shopOf(query))
    const session = cookies && (await sessionOf(cookies, request.ip))
    if (!session) return null
    if (session.renewed)
      renewals.set(
        request.raw,
        jar.lines(session.renewed).map(line => `Set-Cookie: ${line}`),
      )
    // Whose token it is, the API says.
    const { store } = await apiSession(session.token).shell()
    const job = query.get('job')
    return {
      storeId: store.id,
      token: session.token,
      until: tokenEnd(session.token) - renewedBefore,
      watches: job && /^[\w-]{1,64}$/.test(job) ? job : null,
    }
  }

  app.route({
    method: 'GET',
    url: paths.live(),
    onRequest: async (request, reply) => {
      const page = await pageOf(request).catch((error: unknown) => {
        request.log.warn({ err: error }, 'no session for an open page')
      })
      if (!page || !relay.hasRoom(page.storeId)) return reply.code(403).send()
      request.openPage = page
    },
    handler: async (_request, reply) => reply.code(426).header('upgrade', 'websocket').send(),
    wsHandler: (socket: Socket, request) => relay.connect(socket, request.openPage!),
  })
}
