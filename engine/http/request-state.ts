import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller that the route has authorised: its type depends on the kind of call. */
    caller: object | null
  }
}

/** Gives every request of `app` its place for who calls. Call it before any route is added. */
export function requestState(app: FastifyInstance): void {
  app.decorateRequest('caller', null)
}
