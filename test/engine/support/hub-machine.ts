import Fastify from 'fastify'
import type { AddressInfo } from 'node:net'
import {
  HttpTransportType,
  type HubConnection,
  HubConnectionBuilder,
  LogLevel,
} from '@microsoft/signalr'
import { hubEvents, type Job, type JobKind } from '../../../domain/jobs/job.ts'
import { authTokens } from '../../../engine/session/auth-tokens.ts'
import type { Db } from '../../../engine/db/connection.ts'
import { startHub } from '../../../engine/hub/hub.ts'
import { listen, type ListenOptions } from '../../../engine/hub/listen.ts'
import { hubRoute } from '../../../engine/hub/route.ts'
import type { JobRun } from '../../../engine/jobs/jobs.ts'
import { startJobs } from '../../../engine/jobs/run.ts'
import { problems } from '../../../engine/http/problems.ts'
import { quietLog } from './quiet-log.ts'
import { firstShop, sessionSecret } from './small-shop.ts'
import { hearing } from './hearing.ts'

export const pageOrigin = 'https://app.example.test'
export const tokens = authTokens([sessionSecret], () => new Date())
export const tokenOf = async (storeId: string): Promise<string> =>
  (await tokens.access({ storeId, shop: firstShop }, new Date())).token

/**
 * The jobs and the hub of one machine, with handlers of the test. Several machines can share a
 * database.
 */
export async function machine(
  db: Db,
  handlers: Partial<Record<JobKind, (run: JobRun) => Promise<void>>> = {},
  { port = 0, ...options }: { port?: number } & Partial<ListenOptions> = {},
) {
  const clock = () => new Date()
  const jobs = startJobs({ db, clock, log: quietLog })
  for (const [kind, handler] of Object.entries(handlers)) jobs.on(kind as JobKind, handler)
  const hub = startHub({ db, log: quietLog })
  const gaps: number[] = []
  const listening = await listen({
    db,
    log: quietLog,
    onAnnouncement: hub.send,
    onWake: jobs.wake,
    ...options,
    onGap: ms => {
      gaps.push(ms)
      hub.catchUp(new Date(Date.now() - ms))
    },
  })
  const app = Fastify({ forceCloseConnections: true })
  problems(app)
  await hubRoute(app, { hub, tokens, origins: [pageOrigin] })
  await app.listen({ port, host: '127.0.0.1' })
  await jobs.start()
  let isClosed = false
  return {
    jobs,
    hub,
    gaps,
    isHearing: listening.isHearing,
    /** The open sockets. The WebSocket plugin has no types for them. */
    clients: () =>
      (app as unknown as { websocketServer: { clients: Set<{ terminate: () => void }> } })
        .websocketServer.clients,
    port: (app.server.address() as AddressInfo).port,
    close: async () => {
      if (isClosed) return
      isClosed = true
      await app.close()
      await jobs.stop()
      await listening.stop()
    },
  }
}

/** The messages that a client heard, in order. */
export type Heard = { event: string; job: Job | undefined }[]
export type Client = {
  connection: HubConnection
  heard: Heard
  until: (enough: (heard: Heard) => boolean) => Promise<void>
}

/**
 * SignalR's official client without negotiation. It reconnects for as long as a machine may need to
 * start.
 */
export async function officialClient(
  port: number,
  token: string,
  delays = [0, 50, ...Array.from({ length: 600 }, () => 100)],
): Promise<Client> {
  const connection = new HubConnectionBuilder()
    .withUrl(`http://127.0.0.1:${port}/storeJobHub`, {
      skipNegotiation: true,
      transport: HttpTransportType.WebSockets,
      accessTokenFactory: () => token,
    })
    .withAutomaticReconnect(delays)
    .configureLogging(LogLevel.None)
    .build()
  const { heard, hear, until } = hearing<Heard[number]>()
  for (const event of hubEvents) connection.on(event, (job?: Job) => hear({ event, job }))
  await connection.start()
  return {
    connection,
    heard,
    until,
  }
}
