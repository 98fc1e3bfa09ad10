import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A small fake API that can misbehave on demand, which the real one cannot. A path without an
 * answer is 404.
 */
export type SmallUpstream = {
  origin: string
  answers: Record<string, RequestListener>
  asked: string[]
  close: () => void
}

export async function smallUpstream(): Promise<SmallUpstream> {
  const own: SmallUpstream = {
    origin: '',
    answers: {},
    asked: [],
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  const server = createServer((request, response) => {
    const path = request.url!.split('?')[0]!
    own.asked.push(`${request.method} ${path}`)
    const answer = own.answers[path]
    if (answer) answer(request, response)
    else json(response, { message: 'There is nothing here.' }, 404)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  own.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return own
}

export const json = (response: ServerResponse, value: unknown, code = 200): ServerResponse =>
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(value))
