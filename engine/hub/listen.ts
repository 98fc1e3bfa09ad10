import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import pg from 'pg'
import { waitAfter } from '../../domain/backoff.ts'
import type { Db } from '../db/connection.ts'
import { type Announcement, hubChannel, wakeCall } from './announce.ts'

export type ListenOptions = {
  db: Db
  /** URL of the same Postgres server without the pooler, when `db` uses a pooler. */
  url?: string | undefined
  log: FastifyBaseLogger
  onAnnouncement: (announcement: Announcement) => void
  onWake: () => void
  /** Called when announcements of this many past milliseconds may have been missed. */
  onGap: (milliseconds: number) => void
  /** How often to test that notifications arrive, and how long one may take. Milliseconds. */
  probe?: { every: number; within: number }
}
export type Listening = {
  /** Whether notifications of other processes arrived at the last test. */
  isHearing: () => boolean
  stop: () => Promise<void>
}

/**
 * Extra milliseconds to look back: changes may have been committed just before the connection was
 * lost.
 */
const margin = 10_000
const defaultProbe = { every: 30_000, within: 5_000 }

/**
 * Receives the announcements of all processes on this database, and notices when they do not
 * arrive.
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { db, onAnnouncement, onWake } = options
  const hear = (payload: string) =>
    payload === wakeCall ? onWake() : onAnnouncement(JSON.parse(payload) as Announcement)
  return db.pglite ? listenHere(db.pglite, hear) : listenToPostgres(options, hear)
}

async function listenHere(
  pglite: NonNullable<Db['pglite']>,
  hear: (payload: string) => void,
): Promise<Listening> {
  const stop = await pglite.listen(hubChannel, hear)
  return {
    isHearing: () => !pglite.closed,
    stop: async () => {
      if (!pglite.closed) await stop()
    },
  }
}

async function listenToPostgres(
  { db, url, log, onGap, onWake, probe: { every, within } = defaultProbe }: ListenOptions,
  hear: (payload: string) => void,
): Promise<Listening> {
  const connectionString = url ?? db.pool!.options.connectionString
  const stopping = new AbortController()
  const { signal } = stopping
  const firstTry = Promise.withResolvers<void>()
  const awaited = new Map<string, () => void>()
  let failures = 0
  let isHearing = false
  /** When a notification last arrived for certain. */
  let goodAt = performance.now()

  /**
   * Listens until the connection is lost or notifications do not arrive; then throws that error.
   */
  async function listenOnce(): Promise<void> {
    const client = new pg.Client({
      connectionString,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
    })
    const ended = new Promise<never>((_, reject) => {
      client.on('error', reject)
      client.on('end', () => reject(new Error('The connection ended.')))
      signal.addEventListener('abort', () => reject(new Error('The process stops.')), {
        once: true,
      })
    })
    ended.catch(() => {})
    client.on('notification', ({ payload = '' }) => {
      if (payload.startsWith('probe ')) awaited.get(payload)?.()
      else hear(payload)
    })
    try {
      await client.connect()
      await client.query(`listen ${hubChannel}`)
      for (;;) {
        await Promise.race([probe(), ended])
        if (failures > 0) {
          onGap(performance.now() - goodAt + margin)
          onWake()
        }
        failures = 0
        isHearing = true
        goodAt = performance.now()
        firstTry.resolve()
        await Promise.race([setTimeout(every, undefined, { signal, ref: false }), ended])
      }
    } finally {
      // When the other end is gone, `end` would never settle, so we wait for a second at most.
      await Promise.race([
        client.end().catch(() => {}),
        setTimeout(1_000, undefined, { ref: false }),
      ])
    }
  }

  /**
   * Sends itself a notification through the database's own pool. If it does not arrive, the
   * connection is dead, or a pooler does not pass notifications on.
   */
  async function probe(): Promise<void> {
    const word = `probe ${randomUUID()}`
    const heard = new Promise<boolean>(resolve => {
      awaited.set(word, () => resolve(true))
    })
    try {
      await sql`select pg_notify(${hubChannel}, ${word})`.execute(db.kysely)
      if (!(await Promise.race([heard, setTimeout(within, false, { signal, ref: false })])))
        throw new Error(
          'Notifications through the database do not arrive. Behind a pooler in transaction mode, DATABASE_LISTEN_URL must name the server itself.',
        )
    } finally {
      awaited.delete(word)
    }
  }

  async function keepListening(): Promise<void> {
    while (!signal.aborted) {
      await listenOnce().catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error, failures }, 'not listening to the database')
      })
      failures++
      isHearing = false
      firstTry.resolve()
      await setTimeout(waitAfter(failures, Math.random()), undefined, { signal, ref: false }).catch(
        () => {},
      )
    }
  }

  const listening = keepListening()
  // The engine must start even when it cannot listen to the database.
  await firstTry.promise
  return {
    isHearing: () => isHearing,
    stop: async () => {
      stopping.abort()
      await listening
    },
  }
}
