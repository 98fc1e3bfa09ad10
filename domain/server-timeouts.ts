/**
 * Timeouts for the clients of all our servers, in milliseconds: `headers` for the head of a
 * request, `request` for all of it, `silence` for a connection on which no byte moves. So the
 * connection of a client that vanished is always closed.
 */
export const serverTimeouts = { headers: 15_000, request: 120_000, silence: 120_000 }

/**
 * The timeouts as options for Fastify. Node looks for connections past their timeout only at
 * intervals.
 */
export const timeoutOptions = {
  requestTimeout: serverTimeouts.request,
  connectionTimeout: serverTimeouts.silence,
  http: { headersTimeout: serverTimeouts.headers, connectionsCheckingInterval: 5_000 },
}
