import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'

type Part = { app: { server: Server; log: FastifyBaseLogger }; close: () => Promise<unknown> }

/** Milliseconds that a whole stop may take: process managers kill after less than a minute. */
export const stopWithin = 20_000

/**
 * A part that ends whatever its clients do: what is under way has `grace` milliseconds to finish, then the connections
 * that are left are dropped, half-sent requests and answers that nobody reads among them. With `most`, whatever else it
 * waits for is left behind after so many. To be called before it listens.
 */
export function closable(part: Part, grace: number, most?: number): { close: () => Promise<void> } {
  const sockets = new Set<Socket>()
  // Those of WebSockets too, which the server itself has forgotten.
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

/** Settles with the work, or after so many milliseconds; `late` is told about that. */
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
