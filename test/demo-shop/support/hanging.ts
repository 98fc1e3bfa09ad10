import type { RequestListener, Server } from 'node:http'

/** Lets a server accept connections and never answer, until the returned function is called. */
export function hang(server: Server): () => void {
  const own = server.rawListeners('request') as RequestListener[]
  const held = new Set<Parameters<RequestListener>[0]>()
  server.removeAllListeners('request')
  server.on('request', request => held.add(request))
  return () => {
    server.removeAllListeners('request')
    for (const listener of own) server.on('request', listener)
    for (const request of held) request.destroy()
    held.clear()
  }
}
