/**
 * Timeouts for the clients of all our servers, in milliseconds: `headers` for the head of a
 * request, `request` for all of it, `silence` for a connection on which no byte moves. So the
 * connection of a client that vanished is always closed.
 */
export const serverTimeouts = { headers: 15_000, request: 120_000, silence: 120_000 }

/**
 * Limit for each part of a server to start, in milliseconds. Fastify's own limit of ten seconds
 * ended the product at its start on a machine that was busy with other work.
 */
const startWithin = 300_000

/**
 * The timeouts as options for Fastify. Node looks for connections past their timeout only at
 * intervals.
 */
export const timeoutOptions = {
  pluginTimeout: startWithin,
  requestTimeout: serverTimeouts.request,
  connectionTimeout: serverTimeouts.silence,
  http: { headersTimeout: serverTimeouts.headers, connectionsCheckingInterval: 5_000 },
}
