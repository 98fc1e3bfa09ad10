import type { IncomingMessage } from 'node:http'
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
