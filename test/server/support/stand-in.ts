import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Heard = {
  path: string
  headers: Record<string, string | string[] | undefined>
  body: string
}
/**
 * A vendor's fake server. It records every request and answers with `status`, or with the file that
 * `files` has at the path.
 */
export type StandIn = { origin: string; heard: Heard[]; status: number; close: () => Promise<void> }

export async function standIn(
  files: (path: string) => { type: string; body: string } | null = () => null,
): Promise<StandIn> {
  const own: StandIn = {
    origin: '',
    heard: [],
    status: 200,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  const server = createServer((request, response) => {
    let body = ''
    request
      .on('data', (chunk: Buffer) => {
        body += chunk.toString()
      })
      .on('end', () => {
        own.heard.push({ path: request.url!, headers: request.headers, body })
        const file = files(request.url!)
        response
          .writeHead(own.status, { 'content-type': file?.type ?? 'application/json' })
          .end(file?.body ?? '{"success":true}')
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  own.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return own
}
