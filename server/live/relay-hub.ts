import {
  HttpTransportType,
  type HubConnection,
  HubConnectionBuilder,
  type IHttpConnectionOptions,
  LogLevel,
} from '@microsoft/signalr'
import type { FastifyBaseLogger } from 'fastify'
import { setTimeout as wait } from 'node:timers/promises'
import { Compile } from 'typebox/compile'
import { WebSocket } from 'undici'
import { type Backoff, waitAfter } from '../../domain/backoff.ts'
import { type HubEvent, hubEvents, Job } from '../../domain/jobs/job.ts'

export type HubTiming = Backoff & {
  reconnect: readonly number[]
  serverTimeout: number
  keepAlive: number
}
export type HubLinkOptions = {
  url: string
  /** Returns a token of the store that is valid now. */
  token: () => string
  timing: HubTiming
  log: FastifyBaseLogger
  /** Called when events arrive from here on. Earlier events are not sent again. */
  onUp: () => void
  onDown: () => void
  onEvent: (event: HubEvent, job: Job | null) => void
}
export type HubLink = { stop: () => void }

/**
 * Keeps a connection to the engine's hub until it is stopped. The official client reconnects by
 * itself after 0, 2, 10 and 30 s and then stops (requirements 26.20). This function starts it again
 * after that, and after a first start that fails, with growing waits (decision 008).
 */
export function linkHub({
  url,
  token,
  timing,
  log,
  onUp,
  onDown,
  onEvent,
}: HubLinkOptions): HubLink {
  const stopping = new AbortController()
  const { signal } = stopping
  let current: HubConnection | null = null
  let isUp = false

  const up = () => {
    isUp = true
    onUp()
  }
  const down = (error?: Error) => {
    if (!isUp) return
    isUp = false
    if (signal.aborted) return
    log.info({ err: error }, 'hub lost')
    onDown()
  }

  /**
   * Resolves when the connection has ended for good, with whether the client had tried in vain to
   * reconnect. Rejects when the connection could not be started.
   */
  async function connectOnce(): Promise<boolean> {
    let isTrying = false
    // `WebSocket` is an option that the client's types leave out.
    const options: IHttpConnectionOptions & { WebSocket: unknown } = {
      skipNegotiation: true,
      transport: HttpTransportType.WebSockets,
      accessTokenFactory: token,
      WebSocket: patientSocket(timing.serverTimeout, signal),
    }
    const connection = (current = new HubConnectionBuilder()
      .withUrl(url, options)
      .withAutomaticReconnect([...timing.reconnect])
      .withServerTimeout(timing.serverTimeout)
      .withKeepAliveInterval(timing.keepAlive)
      .configureLogging(LogLevel.None)
      .build())
    const ended = new Promise<Error | undefined>(resolve => {
      connection.onclose(resolve)
    })
    connection.onreconnecting(error => {
      isTrying = true
      down(error)
    })
    connection.onreconnected(() => {
      isTrying = false
      up()
    })
    for (const event of hubEvents) connection.on(event, (job?: unknown) => hear(event, job))
    await connection.start()
    if (signal.aborted) await connection.stop()
    else up()
    down(await ended)
    return isTrying
  }

  function hear(event: HubEvent, job: unknown): void {
    if (signal.aborted) return
    if (event === 'ThemesUpdated') onEvent(event, null)
    else if (isJob.Check(job)) onEvent(event, job)
    else log.warn({ event }, 'hub event that cannot be read')
  }

  async function keepUp(): Promise<void> {
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        failures = (await connectOnce()) ? Infinity : 0
      } catch (error) {
        if (failures === 1) log.warn({ err: error }, 'hub not reached')
      }
      await wait(waitToStart(failures, Math.random(), timing), undefined, {
        signal,
        ref: false,
      }).catch(() => {})
    }
  }
  void keepUp()

  return {
    stop: () => {
      stopping.abort()
      // `stop` waits for an attempt to connect that is under way. The abort above ends it.
      current?.stop().catch((error: unknown) => log.warn({ err: error }, 'hub not left'))
    },
  }
}

/**
 * Milliseconds to wait before the connection is started again. `failures`: how many in a row
 * (Infinity when the client has stopped reconnecting). The wait grows up to the client's own
 * longest wait; jobs are polled meanwhile.
 */
export const waitToStart = (
  failures: number,
  chance: number,
  { firstWait, longestWait, reconnect }: Pick<HubTiming, 'firstWait' | 'longestWait' | 'reconnect'>,
): number =>
  waitAfter(Math.max(1, failures), chance, {
    firstWait,
    longestWait: Math.max(longestWait, ...reconnect),
  })

const isJob = Compile(Job)

/**
 * Undici's WebSocket with a timeout in milliseconds for the attempt to connect. Without it the
 * client would wait for a silent server without end.
 */
function patientSocket(timeout: number, signal: AbortSignal) {
  return class extends WebSocket {
    constructor(
      url: string,
      _protocols: string | string[] | undefined,
      options: { headers?: Record<string, string> } = {},
    ) {
      super(url, options)
      const giveUp = () => this.close()
      const timer = setTimeout(giveUp, timeout)
      timer.unref()
      signal.addEventListener('abort', giveUp, { once: true })
      const settled = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
      }
      this.addEventListener('open', settled)
      this.addEventListener('close', settled)
    }
  }
}
