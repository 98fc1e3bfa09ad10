import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'
import { WebSocket } from 'undici'
import type { Job, JobKind, LiveMessage } from '../../../domain/jobs/job.ts'
import type { Db } from '../../../engine/db/connection.ts'
import { announce } from '../../../engine/hub/announce.ts'
import { jobOf } from '../../../engine/hub/job-of.ts'
import { add, change, finish } from '../../../engine/jobs/queue.ts'
import { appConfig } from '../../../server/config.ts'
import { buildApp, type App } from '../../../server/app.ts'
import type { RelayTiming } from '../../../server/live/relay.ts'
import { hearing } from '../../engine/support/hearing.ts'

export const pageOrigin = 'http://localhost:3000'

/**
 * A proxy between app and engine. It passes everything on, and can break connections to the hub.
 */
export type Wire = {
  origin: string
  /** `refuse`: new connections fail. `silent`: no data passes, and connections stay open. */
  hub: (state: 'open' | 'refuse' | 'silent') => void
  /** Closes the open connections to the hub. */
  drop: () => void
  /** `standing`: connections on which the hub has answered. `tried`: all attempts so far. */
  standing: () => number
  tried: () => number
}

export async function wire(t: Test, port: () => number): Promise<Wire> {
  let state: Parameters<Wire['hub']>[0] = 'open',
    tried = 0
  const hubs = new Set<Socket>(),
    heard = new Set<Socket>(),
    all = new Set<Socket>()
  const server = createServer(near => {
    all.add(near)
    near.on('error', () => near.destroy())
    near.on('close', () => {
      for (const set of [all, hubs, heard]) set.delete(near)
    })
    near.once('data', first => {
      const isHub = first.toString('latin1').startsWith('GET /storeJobHub')
      if (isHub) {
        tried++
        if (state === 'refuse') return near.destroy()
        hubs.add(near)
        if (state === 'silent') return
      }
      const far = connect(port(), '127.0.0.1')
      const isMute = () => isHub && state === 'silent'
      far.on('error', () => near.destroy())
      far.on('data', data => {
        if (isMute()) return
        // `{}` is the hub's answer to the client's first message.
        if (isHub && data.includes('{}\x1e')) heard.add(near)
        near.write(data)
      })
      far.on('close', () => {
        if (!isMute()) near.destroy()
      })
      near.on('data', data => {
        if (!isMute()) far.write(data)
      })
      near.on('close', () => far.destroy())
      far.write(first)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const socket of all) socket.destroy()
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hub: next => {
      state = next
    },
    drop: () => {
      for (const socket of hubs) socket.destroy()
    },
    standing: () => heard.size,
    tried: () => tried,
  }
}

/** Starts the app with this proxy as its engine. Its timeouts are short. */
export async function startApp(
  upstreamOrigin: string,
  shopOrigin: string,
  { clock = () => new Date(), ...timing }: Partial<RelayTiming> & { clock?: () => Date } = {},
): Promise<App & { port: number }> {
  const config = appConfig({ APP_ORIGIN: pageOrigin })
  const app = await buildApp({
    config,
    upstreamOrigin,
    clock,
    relayTiming: {
      reconnect: [0, 20, 40, 80],
      firstWait: 20,
      longestWait: 60,
      linger: 60,
      ...timing,
    },
  })
  await app.app.listen({ port: 0, host: '127.0.0.1' })
  return { ...app, port: (app.app.server.address() as AddressInfo).port }
}

/** Signs a merchant in by the shop's admin. Returns the browser's cookies. */
export async function signedIn({ app }: App, idToken: string): Promise<string> {
  const { cookies } = await app.inject({ url: `/?id_token=${idToken}` })
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
}

export type OpenPage = {
  heard: LiveMessage[]
  /** Resolves when the messages so far are enough. */
  until: (enough: (heard: LiveMessage[]) => boolean) => Promise<void>
  jobs: (id: string) => Job[]
  /** The code with which it was closed. */
  closed: Promise<number>
  /** True when it was opened, false when it was refused. */
  opened: Promise<boolean>
  close: () => void
}

/** Opens a page's WebSocket as a browser does. */
export function openPage(
  port: number,
  cookie: string,
  { origin = pageOrigin, query = '' }: { origin?: string | null; query?: string } = {},
): OpenPage {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/live${query}`, {
    headers: { cookie, ...(origin !== null && { origin }) },
  })
  const { heard, hear, until } = hearing<LiveMessage>()
  socket.addEventListener('message', ({ data }) => hear(JSON.parse(String(data)) as LiveMessage))
  const closed = new Promise<number>(resolve => {
    socket.addEventListener('close', ({ code }) => resolve(code))
  })
  const opened = Promise.race([
    new Promise<boolean>(resolve => {
      socket.addEventListener('open', () => resolve(true))
    }),
    closed.then(() => false),
  ])
  return {
    heard,
    closed,
    opened,
    until,
    jobs: id =>
      heard.flatMap(message =>
        message.type === 'job' && message.job.id === id ? [message.job] : [],
      ),
    close: () => socket.close(),
  }
}

/** A job that the test itself runs. For the engine another process has its lease. */
export async function ownJob(db: Db, storeId: string, kind: JobKind = 'rebuild') {
  const now = () => new Date()
  const id = await add(db.kysely, { storeId, kind, runAt: new Date(Date.now() + 3_600_000) }, now())
  let row = await db.kysely.transaction().execute(async trx => {
    const taken = await trx
      .updateTable('jobs')
      .set({
        status: 'active',
        lease: randomUUID(),
        leased_until: new Date(Date.now() + 3_600_000),
        updated_at: now(),
      })
      .where('job_id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await announce(trx, storeId, 'Active', jobOf(taken))
    return taken
  })
  return {
    id,
    step: async (progress: number, message: string) => {
      row = await db.kysely
        .transaction()
        .execute(trx =>
          change(trx, row, { status: 'updated', progress, message, updated_at: now() }, 'Updated'),
        )
    },
    end: (message?: string) =>
      finish(
        db,
        row,
        message === undefined ? { status: 'completed' } : { status: 'errored', message },
        now(),
      ),
  }
}

export const eventually = async (what: () => boolean): Promise<void> => {
  while (!what()) await new Promise(resolve => setTimeout(resolve, 5))
}
