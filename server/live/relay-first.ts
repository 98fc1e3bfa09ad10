import type { FastifyRequest } from 'fastify'
import { Compile } from 'typebox/compile'
import * as Type from 'typebox'
import { clientOf } from '../../domain/events/client-address.ts'
import {
  type FirstMessage,
  firstMessageWithin,
  socketQuery,
} from '../../domain/embedding/page-session.ts'
import { queryOf } from '../http/query.ts'
import type { Socket } from './relay.ts'

/** WebSocket's code for "policy violation". */
const refused = 1008
/** How many WebSockets may wait for their first message at once: they are not authorised yet. */
const maxWaiting = 200
/** How many of these one client may have. A page that is loading needs one for a moment. */
const maxPerClient = 40
/** Milliseconds until a refused WebSocket that does not close is cut off. */
const goodbye = 1_000

const isFirst = Compile(
  Type.Object({ token: Type.String({ maxLength: 900, pattern: '^[\\w-]+\\.[\\w-]+\\.[\\w-]+$' }) }),
)

/** Whether the WebSocket will send its token in its first message, because it has no cookies. */
export const isByMessage = (request: FastifyRequest): boolean =>
  queryOf(request).get(socketQuery.name) === socketQuery.value

export type FirstMessages = {
  /** Whether another WebSocket of this address may wait. */
  hasRoom: (address: string) => boolean
  /**
   * Waits for the first message. Gives its token to `enter`, which connects the page and returns
   * true, or returns false. Closes the socket when no valid message arrives in time.
   */
  await: (
    socket: Socket,
    address: string,
    /** `isThere` is false once the page has left or was refused. */
    enter: (token: string, isThere: () => boolean) => Promise<boolean>,
  ) => void
  /** Closes the sockets that wait. */
  close: () => void
}

export function firstMessages(within = firstMessageWithin): FirstMessages {
  /** Each with its client. A refused one counts until it is closed. */
  const waiting = new Map<Socket, string>()
  const countOf = (client: string) => [...waiting.values()].filter(each => each === client).length
  return {
    hasRoom: address => waiting.size < maxWaiting && countOf(clientOf(address)) < maxPerClient,
    await: (socket, address, enter) => {
      let isThere = true,
        isFirstOne = true
      const leave = () => {
        isThere = false
        clearTimeout(timer)
        waiting.delete(socket)
      }
      const refuse = () => {
        isThere = false
        clearTimeout(timer)
        socket.close(refused)
        setTimeout(() => socket.terminate(), goodbye).unref()
      }
      const timer = setTimeout(refuse, within)
      waiting.set(socket, clientOf(address))
      socket.on('close', leave)
      socket.on('message', data => {
        // Pages only listen after their first message.
        if (!isFirstOne) return
        isFirstOne = false
        const message = read(String(data))
        if (!message) return refuse()
        enter(message.token, () => isThere).then(
          isIn => (isIn ? leave() : refuse()),
          () => refuse(),
        )
      })
    },
    close: () => {
      for (const socket of waiting.keys()) socket.terminate()
      waiting.clear()
    },
  }
}

function read(text: string): FirstMessage | null {
  try {
    const message: unknown = JSON.parse(text)
    return isFirst.Check(message) ? message : null
  } catch {
    return null
  }
}
