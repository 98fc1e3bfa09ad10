import { createHmac, randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { Agent, request } from 'undici'
import { day, hour } from '../../domain/time-units.ts'
import type { Database } from '../database.ts'
import { shop } from '../shop.ts'
import type { Topic } from './topics.ts'

/**
 * Webhooks that the app has not acknowledged yet. Each is written in the transaction whose change
 * it reports, and stays until the app answers with a 2xx, or has refused it for two days.
 */
export type Outbox = {
  /** Must be called inside the transaction that makes the change. */
  write: (topic: Topic, body: object, triggeredAt: Date) => void
  /** Says that something may be due now. */
  wake: () => void
  waiting: () => number
  /** Resolves when no delivery is waiting. */
  delivered: () => Promise<void>
  close: () => Promise<void>
}
type Delivery = {
  delivery_id: string
  topic: string
  body: string
  triggered_at: string
  attempts: number
}
type Answer = 'taken' | 'refused' | 'away'

const atOnce = 8,
  timeout = 5_000
/** How long a refused delivery is tried again, as on other platforms. Milliseconds. */
const refusedFor = 2 * day
const longestWait = 4 * hour,
  shortestSleep = 10

export type OutboxOptions = {
  db: Database
  target: string
  secret: string
  log: FastifyBaseLogger | undefined
  /**
   * Milliseconds until a delivery that was not accepted is tried again; the wait doubles each time.
   */
  firstWait?: number | undefined
}

/**
 * Posts deliveries to `target` (origin), several at a time. Each is tried again, with a growing
 * wait, until the app accepts it.
 */
export function startOutbox({ db, target, secret, log, firstWait = 1_000 }: OutboxOptions): Outbox {
  const agent = new Agent({ connect: { timeout: 1_000 }, connections: atOnce })
  const insert = db.prepare(
    'insert into webhooks (delivery_id, topic, body, triggered_at, next_at) values (?, ?, ?, ?, ?)',
  )
  const due = db.prepare(
    'select delivery_id, topic, body, triggered_at, attempts from webhooks where next_at <= ? order by next_at, rowid limit ?',
  )
  const next = db.prepare('select min(next_at) as at from webhooks')
  const taken = db.prepare('delete from webhooks where delivery_id = ?')
  const again = db.prepare(
    'update webhooks set attempts = attempts + 1, next_at = ? where delivery_id = ?',
  )
  const allDue = db.prepare('update webhooks set next_at = ? where next_at > ?')
  const count = db.prepare('select count(*) as count from webhooks')
  const ended = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<unknown> | null = null
  let isAway = false
  const onDelivered: (() => void)[] = []

  async function sendDue(): Promise<void> {
    // Lets the answer to an order leave first.
    await setImmediate()
    while (!ended.signal.aborted) {
      const batch = due.all(Date.now(), atOnce) as Delivery[]
      if (batch.length === 0) return
      await Promise.all(batch.map(sendOne))
    }
  }

  async function sendOne(delivery: Delivery): Promise<void> {
    const answer = await post(delivery)
    if (ended.signal.aborted && answer !== 'taken') return
    if (answer === 'taken') {
      taken.run(delivery.delivery_id)
      // The app is back, so the deliveries that were to wait longer are due now.
      if (isAway) allDue.run(Date.now(), Date.now())
      isAway = false
      return
    }
    if (answer === 'away') isAway = true
    // A delivery that was refused for so long will always be refused. It is dropped, so that it
    // does not delay the others.
    if (answer === 'refused' && Date.now() - Date.parse(delivery.triggered_at) > refusedFor) {
      taken.run(delivery.delivery_id)
      log?.error({ topic: delivery.topic, delivery: delivery.delivery_id }, 'webhook refused')
      return
    }
    const wait = Math.round(
      Math.min(longestWait, firstWait * 2 ** delivery.attempts) * (0.8 + Math.random() * 0.4),
    )
    again.run(Date.now() + wait, delivery.delivery_id)
    log?.warn(
      { topic: delivery.topic, delivery: delivery.delivery_id, answer, wait },
      'webhook not taken',
    )
  }

  async function post({ delivery_id, topic, body: told, triggered_at }: Delivery): Promise<Answer> {
    // The signature covers only the body, so the body repeats what the headers say.
    const delivery = { id: delivery_id, topic, shop: shop.shop, triggered_at }
    const body = JSON.stringify({ ...(JSON.parse(told) as object), delivery })
    try {
      const response = await request(`${target}/webhooks/demo/${topic.replace('/', '-')}`, {
        method: 'POST',
        dispatcher: agent,
        headersTimeout: timeout,
        bodyTimeout: timeout,
        signal: ended.signal,
        body,
        headers: {
          'content-type': 'application/json',
          'x-demo-topic': topic,
          'x-demo-shop': shop.shop,
          'x-demo-delivery-id': delivery_id,
          'x-demo-triggered-at': triggered_at,
          'x-demo-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
        },
      })
      await response.body.dump()
      return response.statusCode < 300 ? 'taken' : response.statusCode < 500 ? 'refused' : 'away'
    } catch {
      return 'away'
    }
  }

  function wake(): void {
    if (ended.signal.aborted || running) return
    clearTimeout(timer)
    running = sendDue()
      .catch((error: unknown) => log?.error({ err: error }, 'webhooks not sent'))
      .finally(() => {
        running = null
        sleep()
      })
  }

  /** Waits until the next delivery is due. A delivery that was written meanwhile is due at once. */
  function sleep(): void {
    if (ended.signal.aborted) return
    const { at } = next.get() as { at: number | null }
    if (at === null) for (const settle of onDelivered.splice(0)) settle()
    else timer = setTimeout(wake, Math.min(Math.max(at - Date.now(), shortestSleep), 2 ** 31 - 1))
  }

  wake()
  return {
    write: (topic, body, triggeredAt) =>
      void insert.run(
        randomUUID(),
        topic,
        JSON.stringify(body),
        triggeredAt.toISOString(),
        Date.now(),
      ),
    wake,
    waiting: () => (count.get() as { count: number }).count,
    delivered: () =>
      new Promise(resolve => {
        onDelivered.push(resolve)
        wake()
      }),
    close: async () => {
      ended.abort()
      clearTimeout(timer)
      await running
      await agent.close()
    },
  }
}
