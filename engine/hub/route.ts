import websocket from '@fastify/websocket'
import type { FastifyInstance } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import type { AuthTokens } from '../session/auth-tokens.ts'
import type { Caller } from '../http/routes.ts'
import type { Socket } from './connection.ts'
import type { Hub } from './hub.ts'

export const hubPath = '/storeJobHub'
/** Maximum size of one frame in bytes. A frame may hold several messages. */
const largestFrame = 128 * 1024

export type HubRouteOptions = {
  hub: Hub
  tokens: AuthTokens
  /** Origins of pages that may connect. Programs send no Origin. */ origins: string[]
}

/**
 * Adds the hub's route, for clients that skip negotiation: one WebSocket. The token is in the
 * header, or in the query because browsers cannot set headers here.
 */
export async function hubRoute(
  app: FastifyInstance,
  { hub, tokens, origins }: HubRouteOptions,
): Promise<void> {
  await app.register(websocket, {
    options: { maxPayload: largestFrame, perMessageDeflate: false },
    // The client broke the WebSocket protocol or lost its connection. That is no error of ours.
    errorHandler: (_error, socket: Socket) => socket.terminate(),
    preClose: done => {
      // Clients reconnect at once. They must get plain HTTP answers then: a socket that is being
      // upgraded during the shutdown would never be closed.
      app.server.removeAllListeners('upgrade')
      hub.close().then(() => done(), done)
    },
  })
  app.register(async scope => {
    scope.route<{ Querystring: Record<string, string | string[] | undefined> }>({
      method: 'GET',
      url: hubPath,
      onRequest: async request => {
        // The server still listens while clients are being disconnected, and they reconnect at
        // once.
        if (hub.isClosing()) throw new HttpProblem(503, 'The server restarts.')
        const { origin, authorization } = request.headers
        if (origin !== undefined && !origins.includes(origin))
          throw new HttpProblem(403, 'This origin may not connect.')
        const [, token] =
          /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/.exec(
            authorization ?? `Bearer ${String(request.query['access_token'])}`,
          ) ?? []
        const caller = token && (await tokens.readAccess(token))
        if (!caller || caller.isLeaving)
          throw new HttpProblem(401, 'The token is missing, expired or not one of ours.')
        if (request.query['id'] !== undefined)
          throw new HttpProblem(404, 'There is no such connection.')
        request.caller = caller
      },
      handler: async (_request, reply) => {
        reply.header('upgrade', 'websocket')
        throw new HttpProblem(426, 'This address accepts only WebSocket connections.')
      },
      wsHandler: (socket: Socket, request) => {
        // 1013: try again later.
        if (!hub.connect(socket, (request.caller as Caller).storeId)) socket.close(1013)
      },
    })
  })
}
