import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * A proxy to Postgres that a test can cut: open connections break, and new ones are refused until
 * `restore`.
 */
export async function linkTo(url: string): Promise<{
  url: string
  cut: () => Promise<void>
  restore: () => Promise<void>
  close: () => Promise<void>
}> {
  const there = new URL(url),
    sockets = new Set<Socket>()
  let server: Server | null = null,
    port = 0
  const cut = async () => {
    const ending = server
    server = null
    if (!ending) return
    const ended = once(ending, 'close')
    ending.close()
    for (const socket of sockets) socket.destroy()
    await ended
  }
  const restore = async () => {
    server = createServer(near => {
      const far = connect(Number(there.port), there.hostname)
      for (const [one, another] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(one)
        one
          .on('error', () => {})
          .on('close', () => {
            sockets.delete(one)
            another.destroy()
          })
        one.pipe(another)
      }
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }
  await restore()
  const here = new URL(url)
  here.host = `127.0.0.1:${port}`
  return { url: here.href, cut, restore, close: cut }
}
