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

/** A store has one connection for each app machine with a browser of it open; far more is a mistake. */
const maxPerStore = 100
/** For clients to say goodbye in when we stop. Milliseconds. */
const goodbyeWithin = 1_000

/** This machine's end of the real-time hub: which sockets are whose. */
export type Hub = {
  /** False when the store has too many already, or we stop. */
  connect: (socket: Socket, storeId: string) => boolean
  /** Sends it to the sockets of its store, in the order of these calls. */
  send: (announcement: Announcement) => void
  /** Tells about what changed since then, when announcements may have been missed. */
  catchUp: (since: Date) => void
  /** How many sockets are open. */
  count: () => number
  /** Settles when all that was to be sent is. */
  sent: () => Promise<void>
  /** From here on nobody is let in. */
  isClosing: () => boolean
  /** Sends every client away to come back. */
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
  /** Rows are read for some, so all go one after the other. */
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
    // It may have been announced; reading the store's info once too often costs nothing.
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
      // From now on, though it hears nothing before its handshake: so those that never shake hands count too.
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
