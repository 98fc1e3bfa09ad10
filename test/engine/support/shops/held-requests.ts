import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/**
 * Holds the requests to a server, or those that `which` chooses, until the returned function is
 * called. A job that needs one of them cannot end meanwhile.
 */
export function holdRequests(
  { server }: FastifyInstance,
  which: (request: IncomingMessage) => boolean = () => true,
): () => void {
  const emit = server.emit.bind(server),
    held: (() => void)[] = []
  server.emit = (name: string, ...given: unknown[]) => {
    if (name !== 'request' || !which(given[0] as IncomingMessage)) return emit(name, ...given)
    held.push(() => emit(name, ...given))
    return true
  }
  return () => {
    server.emit = emit
    for (const go of held.splice(0)) go()
  }
}

/**
 * Holds the answers to the requests that `which` chooses: the server has done what was asked, and
 * whoever asked does not know it yet. `held` resolves with the first of them; `release` sends them.
 */
export function holdAnswers(
  { server }: FastifyInstance,
  which: (request: IncomingMessage) => boolean,
): { held: Promise<void>; release: () => void } {
  const emit = server.emit.bind(server),
    waiting: (() => void)[] = [],
    first = Promise.withResolvers<void>()
  server.emit = (name: string, ...given: unknown[]) => {
    const [request, response] = given as [IncomingMessage, ServerResponse]
    if (name === 'request' && which(request)) {
      const end = response.end.bind(response) as (...given: unknown[]) => ServerResponse
      response.end = (...last: unknown[]) => {
        waiting.push(() => end(...last))
        first.resolve()
        return response
      }
    }
    return emit(name, ...given)
  }
  return {
    held: first.promise,
    release: () => {
      server.emit = emit
      for (const go of waiting.splice(0)) go()
    },
  }
}
