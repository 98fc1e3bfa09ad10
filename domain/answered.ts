/** What an operator is told about a request that was answered. `route` is its pattern (`/reports/:id`), never the address itself. */
export type Answered = { method: string; route: string; status: number; seconds: number }

/** Reads it off a request and its reply. What no route was found for shares one name, whatever was asked. */
export const answeredOf = (
  request: { method: string; routeOptions: { url?: string | undefined } },
  reply: { statusCode: number; elapsedTime: number },
): Answered => ({
  method: request.method,
  route: request.routeOptions.url ?? 'none',
  status: reply.statusCode,
  seconds: reply.elapsedTime / 1000,
})
