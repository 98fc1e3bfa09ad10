import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../db/connection.ts'
import { eventOf, type Job } from '../../domain/jobs/job.ts'
import { jobOf } from './job-of.ts'
import type { Announcement } from './announce.ts'
import {
  type HubConnection,
  type HubMethod,
  serveConnection,
  type Socket,
  type Timing,
} from './connection.ts'
import { messageType } from './protocol.ts'

/**
 * Maximum number of connections of one store. A store has one for each app machine on which a
 * browser of it is open, so far more are a mistake.
 */
const maxPerStore = 100
/** Milliseconds for clients to disconnect when we stop. */
const goodbyeWithin = 1_000

/** This machine's side of the real-time hub: the open sockets by store. */
export type Hub = {
  /** Returns false when the store has too many connections, or when we stop. */
  connect: (socket: Socket, storeId: string) => boolean
  /** Sends an announcement to the sockets of its store, in the order of the calls. */
  send: (announcement: Announcement) => void
  /** Sends everything that changed since then, because announcements may have been missed. */
  catchUp: (since: Date) => void
  /** The number of open sockets. */
  count: () => number
  /** Settles when everything so far has been sent. */
  sent: () => Promise<void>
  /** True once `close` was called: no new connection is accepted. */
  isClosing: () => boolean
  /** Disconnects every client and asks it to reconnect. */
  close: () => Promise<void>
}

export type HubOptions = {
  db: Db
  log: FastifyBaseLogger
  timing?: Timing
  methods?: Map<string, HubMethod>
}

export function startHub({ db, log, timing, methods }: HubOptions): Hub {
  const sockets = new Map<string, Set<HubConnection>>()
  let isClosing = false
  /**
   * The end of the queue. Some announcements read a row first, so all are sent one after the other.
   */
  let sending: Promise<void> = Promise.resolve()
  const inOrder = (act: () => Promise<void>): void => {
    sending = sending
      .then(act)
      .catch((error: unknown) => log.error({ err: error }, 'hub event not sent'))
  }

  const tell = (storeId: string, event: Announcement['event'], args: unknown[]): void => {
    for (const connection of sockets.get(storeId) ?? [])
      connection.send({ type: messageType.invocation, target: event, arguments: args })
  }

  async function deliver({ storeId, event, job }: Announcement): Promise<void> {
    if (!sockets.has(storeId)) return
    if (!job) return tell(storeId, event, [])
    const whole = 'status' in job ? job : await readJob(storeId, job.id)
    if (whole) tell(storeId, event, [whole])
  }

  async function readJob(storeId: string, jobId: string): Promise<Job | null> {
    const row = await db.kysely
      .selectFrom('jobs')
      .selectAll()
      .where('store_id', '=', storeId)
      .where('job_id', '=', jobId)
      .executeTakeFirst()
    return row ? jobOf(row) : null
  }

  async function deliverSince(since: Date): Promise<void> {
    const stores = [...sockets.keys()]
    if (stores.length === 0) return
    const rows = await db.kysely
      .selectFrom('jobs')
      .selectAll()
      .where('store_id', 'in', stores)
      .where('updated_at', '>=', since)
      .where('status', '!=', 'queued')
      .orderBy('updated_at')
      .execute()
    for (const row of rows)
      tell(row.store_id, eventOf[row.status as keyof typeof eventOf], [jobOf(row)])
    // The message may be a repetition, but reading the store's info once more costs little.
    for (const storeId of stores) tell(storeId, 'ThemesUpdated', [])
  }

  return {
    connect: (socket, storeId) => {
      const own = sockets.get(storeId) ?? new Set()
      if (isClosing || own.size >= maxPerStore) return false
      sockets.set(storeId, own)
      const pending = serveConnection(socket, {
        timing,
        methods,
        onClosed: connection => {
          own.delete(connection)
          if (own.size === 0) sockets.delete(storeId)
        },
      })
      // Add the connection before its handshake, so that clients that never complete the handshake
      // count too. Until then it receives nothing.
      own.add(pending)
      return true
    },
    send: announcement => inOrder(() => deliver(announcement)),
    catchUp: since => inOrder(() => deliverSince(since)),
    count: () => [...sockets.values()].reduce((sum, own) => sum + own.size, 0),
    sent: () => sending,
    isClosing: () => isClosing,
    close: async () => {
      isClosing = true
      const all = [...sockets.values()].flatMap(own => [...own])
      for (const connection of all) connection.restart()
      const deadline = Date.now() + goodbyeWithin
      while (sockets.size > 0 && Date.now() < deadline)
        await new Promise(resolve => setTimeout(resolve, 20))
      for (const connection of all) connection.terminate()
    },
  }
}
