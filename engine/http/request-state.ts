import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller that the route has authorised. Its type depends on the kind of call. */
    caller: object | null
  }
}

/** Adds the property `caller` to every request of `app`. Call it before any route is added. */
export function requestState(app: FastifyInstance): void {
  app.decorateRequest('caller', null)
}
