import websocket from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { paths } from '../../domain/paths.ts'
import type { Auth } from '../session/gate.ts'
import { queryOf, shopOf } from '../http/query.ts'
import { firstMessages, isByMessage } from './relay-first.ts'
import type { Relay, Socket } from './relay.ts'
import { renewedBefore, tokenEnd } from '../session/session.ts'

/** The most bytes of a message from a page: its token, where it has no cookies. */
const largestFrame = 1024

export type OpenPage = Parameters<Relay['connect']>[1]

/**
 * The WebSocket on which open pages listen for news. A request without a session, or from another
 * site, gets an empty 403.
 */
export async function liveRoute(
  app: FastifyInstance,
  {
    relay,
    auth: { jar, session: sessionOf, apiSession, origin },
    firstWithin,
  }: { relay: Relay; auth: Auth; firstWithin?: number | undefined },
): Promise<void> {
  const firsts = firstMessages(firstWithin)
  await app.register(websocket, {
    options: { maxPayload: largestFrame, perMessageDeflate: false },
    // The browser broke the WebSocket protocol, or its connection broke. The app did nothing wrong,
    // so this is not logged.
    errorHandler: (_error, socket: Socket) => socket.terminate(),
    preClose: done => {
      // Pages reconnect at once. They must get plain HTTP answers now: a WebSocket that is opened
      // during the shutdown would never be closed.
      app.server.removeAllListeners('upgrade')
      firsts.close()
      relay.close().then(() => done(), done)
    },
  })
  const renewals = new WeakMap<IncomingMessage, string[]>()
  // Fastify does not send the answer that opens a WebSocket. When the session was renewed for it,
  // the new cookies are added here.
  const { websocketServer } = app as unknown as {
    websocketServer: {
      on: (event: 'headers', listener: (lines: string[], request: IncomingMessage) => void) => void
    }
  }
  websocketServer.on('headers', (lines, request) => lines.push(...(renewals.get(request) ?? [])))

  async function pageOf(request: FastifyRequest): Promise<OpenPage | null> {
    if (request.headers.origin !== origin) return null
    const cookies = jar.of(request, shopOf(queryOf(request)))
    const session = cookies && (await sessionOf(cookies, request.ip))
    if (!session) return null
    if (session.renewed)
      renewals.set(
        request.raw,
        jar.lines(session.renewed).map(line => `Set-Cookie: ${line}`),
      )
    return openPageOf(request, session.token)
  }

  async function openPageOf(request: FastifyRequest, token: string): Promise<OpenPage> {
    // The API says which store the token belongs to.
    const { store } = await apiSession(token).shell()
    const job = queryOf(request).get('job')
    return {
      storeId: store.id,
      token,
      until: tokenEnd(token) - renewedBefore,
      watches: job && /^[\w-]{1,64}$/.test(job) ? job : null,
    }
  }

  /** Connects a page whose first message holds this token; false when it may not listen. */
  async function enter(
    socket: Socket,
    request: FastifyRequest,
    token: string,
    isThere: () => boolean,
  ): Promise<boolean> {
    const page = await openPageOf(request, token)
    if (!isThere() || !relay.hasRoom(page.storeId)) return false
    relay.connect(socket, page)
    return true
  }

  app.route({
    method: 'GET',
    url: paths.live(),
    onRequest: async (request, reply) => {
      if (isByMessage(request)) {
        // The same origin is asked for as of pages with cookies; the rest is in the first message.
        if (request.headers.origin === origin && firsts.hasRoom(request.ip)) return
        return reply.code(403).send()
      }
      const page = await pageOf(request).catch((error: unknown) => {
        request.log.warn({ err: error }, 'no session for an open page')
      })
      if (!page || !relay.hasRoom(page.storeId)) return reply.code(403).send()
      request.openPage = page
    },
    handler: async (_request, reply) => reply.code(426).header('upgrade', 'websocket').send(),
    wsHandler: (socket: Socket, request) =>
      request.openPage
        ? relay.connect(socket, request.openPage)
        : firsts.await(socket, request.ip, (token, isThere) =>
            enter(socket, request, token, isThere),
          ),
  })
}
