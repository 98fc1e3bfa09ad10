import type { FastifyBaseLogger } from 'fastify'
import { usualBackoff } from '../../domain/backoff.ts'
import { firstMessageWithin } from '../../domain/embedding/page-session.ts'
import { hubTiming, type Job } from '../../domain/jobs/job.ts'
import type { HubTiming } from './relay-hub.ts'
import { type Listener, type StoreRelay, storeRelay } from './relay-store.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { read } from '../upstream/upstream-calls.ts'
import { UpstreamProblem } from '../upstream/upstream-problem.ts'

/** The part of a WebSocket we use (the ws package has no types of its own). */
export type Socket = {
  readonly bufferedAmount: number
  send: (text: string) => void
  ping: () => void
  close: (code: number) => void
  terminate: () => void
  on: ((event: 'close' | 'pong', listener: () => void) => unknown) &
    ((event: 'message', listener: (data: unknown) => void) => unknown)
}

/**
 * In milliseconds. `linger`: how long a store's connection stays open after its last page has left,
 * because the next page may be loading. `first`: how long a page without cookies may take to send
 * its token.
 */
export type RelayTiming = HubTiming & {
  linger: number
  ping: number
  goodbye: number
  first: number
}
const relayTiming: RelayTiming = {
  ...hubTiming,
  ...usualBackoff,
  linger: 5_000,
  ping: 30_000,
  goodbye: 1_000,
  first: firstMessageWithin,
}

/** The most open pages of one store. More would be a mistake. */
const maxPerStore = 500
/**
 * The most bytes that wait for a page that does not read. Beyond it the page is disconnected; it
 * gets the state again when it reconnects.
 */
const maxWaiting = 256 * 1024
/** WebSocket's code for "service restart": the page reconnects. */
const comeBack = 1012

export type Relay = {
  /** Whether another page of the store may listen now. */
  hasRoom: (storeId: string) => boolean
  /**
   * Connects a page. Its socket is closed when its session's token must be renewed, and the page
   * reconnects with a new one.
   */
  connect: (socket: Socket, page: { storeId: string } & Omit<Listener, 'tell'>) => void
  /** Starts to follow a job of the store that was just requested. */
  track: (storeId: string, job: Job) => void
  /** How many pages are connected. */
  count: () => number
  close: () => Promise<void>
}

export type RelayOptions = {
  /** Origin of the engine. */
  origin: string
  upstream: Pick<Upstream, 'send'>
  clock: () => Date
  log: FastifyBaseLogger
  /** Drops what is cached of a store, because the store has changed. */
  forget: (storeId: string) => void
  timing?: Partial<RelayTiming> | undefined
}

/**
 * Connects the open pages with the engine's hub (requirements 27.15): one connection for each store
 * with open pages. Each page gets only the news of its own store.
 */
export function startRelay({
  origin,
  upstream,
  clock,
  log,
  forget,
  timing: over,
}: RelayOptions): Relay {
  const timing = { ...relayTiming, ...over }
  const stores = new Map<string, StoreRelay>()
  const sockets = new Set<Socket>()
  let isClosing = false

  async function readJob(id: string, token: string): Promise<Job | null> {
    try {
      return read<Job>('storeJob', (await upstream.send('storeJob', { params: { id } }, token))!)
    } catch (error) {
      if (error instanceof UpstreamProblem && error.status === 404) return null
      throw error
    }
  }

  function storeOf(storeId: string): StoreRelay {
    const known = stores.get(storeId)
    if (known) return known
    const store = storeRelay({
      hubUrl: `${origin}/storeJobHub`,
      timing,
      log: log.child({ storeId }),
      readJob,
      onChange: () => forget(storeId),
      onIdle: () => {
        stores.delete(storeId)
        store.close()
      },
    })
    stores.set(storeId, store)
    return store
  }

  return {
    hasRoom: storeId => !isClosing && (stores.get(storeId)?.size() ?? 0) < maxPerStore,
    connect: (socket, { storeId, until, token, watches }) => {
      if (isClosing) return socket.close(comeBack)
      const store = storeOf(storeId)
      const listener: Listener = {
        token,
        until,
        watches,
        tell: text => {
          if (socket.bufferedAmount > maxWaiting) socket.terminate()
          else socket.send(text)
        },
      }
      let isAlive = true
      const pings = setInterval(() => {
        if (!isAlive) return socket.terminate()
        isAlive = false
        socket.ping()
      }, timing.ping).unref()
      const sessionEnd = setTimeout(
        () => socket.close(comeBack),
        Math.max(0, until - clock().getTime()),
      ).unref()
      socket.on('pong', () => {
        isAlive = true
      })
      socket.on('close', () => {
        clearInterval(pings)
        clearTimeout(sessionEnd)
        sockets.delete(socket)
        store.leave(listener)
      })
      sockets.add(socket)
      store.join(listener)
    },
    track: (storeId, job) => {
      if (!isClosing) storeOf(storeId).track(job)
    },
    count: () => sockets.size,
    close: async () => {
      isClosing = true
      for (const store of stores.values()) store.close()
      stores.clear()
      for (const socket of sockets) socket.close(comeBack)
      const deadline = Date.now() + timing.goodbye
      while (sockets.size > 0 && Date.now() < deadline)
        await new Promise(resolve => setTimeout(resolve, 20))
      for (const socket of sockets) socket.terminate()
    },
  }
}
