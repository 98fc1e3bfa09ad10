/**
 * What operators learn about a finished request. `route` is its pattern (`/reports/:id`), never the
 * real address.
 */
export type Answered = { method: string; route: string; status: number; seconds: number }

/** Makes it from a request and its reply. All requests without a route share the name "none". */
export const answeredOf = (
  request: { method: string; routeOptions: { url?: string | undefined } },
  reply: { statusCode: number; elapsedTime: number },
): Answered => ({
  method: request.method,
  route: request.routeOptions.url ?? 'none',
  status: reply.statusCode,
  seconds: reply.elapsedTime / 1000,
})
