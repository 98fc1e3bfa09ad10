/**
 * How long a client of any of our servers may take, in milliseconds: for the head of a request, for all of it, and
 * without taking or giving a byte. A client that vanished gives its connection back after that, whatever it was doing.
 */
export const serverTimeouts = { headers: 15_000, request: 120_000, silence: 120_000 }

/** The same as Fastify takes it. Node looks for connections that are over time every few seconds only. */
export const timeoutOptions = {
  requestTimeout: serverTimeouts.request,
  connectionTimeout: serverTimeouts.silence,
  http: { headersTimeout: serverTimeouts.headers, connectionsCheckingInterval: 5_000 },
}
