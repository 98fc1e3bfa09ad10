import type { FastifyBaseLogger } from 'fastify'
import { Pool } from 'undici'
import { type Backoff, waitAfter } from '../../domain/backoff.ts'
import { minute } from '../../domain/time-units.ts'
import type { KnownAbout } from '../about.ts'

/** All of our staff, so that no event names one of them. */
export const staffName = 'staff'
/** One call of Segment's tracking API, in the form that its batches take. */
export type UsageMessage = {
  type: 'track'
  messageId: string
  /** The store; an event of staff has `anonymousId` in its place. */
  userId?: string
  anonymousId?: string
  event: string
  timestamp: string
  properties: Record<string, string | number | boolean>
  context?: object
}
export type UsageSender = {
  /** Adds a message to the next batch. Neither waits nor throws. */
  add: (message: UsageMessage) => void
  /** Sends the queued messages without retries, then closes the connection. */
  close: () => Promise<void>
}

/** A batch may hold 2,500 calls and 500 kB, one call 32 kB: this is far below both. */
const perBatch = 100
/**
 * The most messages that are queued while Segment cannot be reached. Beyond it the oldest are
 * dropped.
 */
const maxWaiting = 2000
/**
 * In milliseconds. `gathering`: how long messages are collected before they are sent. `atTheEnd`:
 * how long `close` waits to learn whether there is a write key.
 */
export type UsageTiming = { gathering: number; atTheEnd: number }
const usageTiming: UsageTiming = { gathering: 2000, atTheEnd: 1000 }
/** Milliseconds that one attempt may take. */
const timeout = 5000

/**
 * Sends usage events to the product's own analytics in batches, in the background. Sends nothing
 * when there is no write key.
 */
export function usageSender({
  origin,
  about,
  log,
  timing,
}: {
  origin: string
  about: KnownAbout
  log: FastifyBaseLogger
  timing?: Partial<UsageTiming> | undefined
}): UsageSender {
  const { gathering, atTheEnd } = { ...usageTiming, ...timing }
  const retries: Backoff = { firstWait: gathering, longestWait: minute }
  const pool = new Pool(origin, {
    connections: 1,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    connect: { timeout },
  })
  let waiting: UsageMessage[] = []
  let failures = 0
  let timer: NodeJS.Timeout | null = null
  let sending: Promise<void> | null = null
  let isClosed = false

  function soon(wait = gathering): void {
    if (isClosed) return
    timer ??= setTimeout(() => {
      timer = null
      void flush()
    }, wait).unref()
  }

  function flush(): Promise<void> {
    sending ??= send().finally(() => {
      sending = null
    })
    return sending
  }

  async function send(): Promise<void> {
    while (waiting.length > 0) {
      const known = about.now()
      // The API has not answered yet, so it is unknown whether there is a write key. Try again
      // later.
      if (!known) return soon(waitAfter(++failures, 0, retries))
      if (known.writeKey === null) {
        waiting = []
        return
      }
      const batch = waiting.slice(0, perBatch)
      const outcome = await post(known.writeKey, batch)
      if (outcome === 'later') return soon(waitAfter(++failures, Math.random(), retries))
      failures = 0
      waiting = waiting.filter(message => !batch.includes(message))
    }
  }

  async function post(writeKey: string, batch: UsageMessage[]): Promise<'done' | 'later'> {
    try {
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: '/v1/batch',
        signal: AbortSignal.timeout(timeout),
        body: JSON.stringify({ batch, sentAt: new Date().toISOString() }),
        headers: {
          'content-type': 'application/json',
          authorization: `Basic ${Buffer.from(`${writeKey}:`).toString('base64')}`,
        },
      })
      await body.dump()
      if (statusCode < 300) return 'done'
      log.warn({ status: statusCode, count: batch.length }, 'usage was refused')
      // Segment would refuse the same batch again, so it is dropped.
      return statusCode === 429 || statusCode >= 500 ? 'later' : 'done'
    } catch (error) {
      log.warn({ err: error }, 'usage cannot be sent')
      return 'later'
    }
  }

  return {
    add: message => {
      const known = about.now()
      if (isClosed || (known && known.writeKey === null)) return
      waiting.push(message)
      if (waiting.length > maxWaiting) waiting.shift()
      if (waiting.length >= perBatch && failures === 0) void flush()
      else soon()
    },
    close: async () => {
      isClosed = true
      if (timer) clearTimeout(timer)
      if (waiting.length > 0 && !about.now())
        await Promise.race([
          about.settled(),
          new Promise(resolve => setTimeout(resolve, atTheEnd).unref()),
        ])
      await flush()
      // Send the messages that were added while the last batch was under way.
      await flush()
      await pool.destroy()
    },
  }
}
