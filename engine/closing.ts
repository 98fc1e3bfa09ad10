import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'

type Part = { app: { server: Server; log: FastifyBaseLogger }; close: () => Promise<unknown> }

/**
 * Milliseconds that the whole shutdown may take: process managers kill a process that needs a
 * minute.
 */
export const stopWithin = 20_000

/**
 * Makes a part close in bounded time, whatever its clients do. Running requests have `grace`
 * milliseconds to finish.
 * Then the open connections are dropped, also those with half-sent requests and with answers that
 * no client reads. With `most`, `close` stops waiting for the part after that many milliseconds.
 * Call this before the part listens.
 */
export function closable(part: Part, grace: number, most?: number): { close: () => Promise<void> } {
  const sockets = new Set<Socket>()
  // This includes WebSocket connections, which the HTTP server no longer tracks.
  part.app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return {
    close: async () => {
      const timer = setTimeout(() => sockets.forEach(socket => socket.destroy()), grace)
      const closed = part.close().finally(() => clearTimeout(timer))
      await (most === undefined
        ? closed
        : within(most, closed, () =>
            part.app.log.warn('a part did not close in time and was left behind'),
          ))
    },
  }
}

/** Settles when the work settles, or after this many milliseconds; then it calls `late` first. */
export async function within(
  milliseconds: number,
  work: Promise<unknown>,
  late: () => void,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([
    work,
    new Promise<void>(resolve => {
      timer = setTimeout(() => {
        late()
        resolve()
      }, milliseconds)
    }),
  ])
  clearTimeout(timer)
}
