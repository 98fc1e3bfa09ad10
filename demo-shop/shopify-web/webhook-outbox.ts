import { createHmac, randomUUID } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { Agent, request } from 'undici'
import { hour } from '../../domain/time-units.ts'
import type { Database } from '../database.ts'
import { shopifyShop } from '../shopify/shop-names.ts'
import type { Subscription, Subscriptions } from './webhook-subscriptions.ts'
import { apiVersion } from './webhook-topics.ts'

/** What is wrong with deliveries, so that the app can be tried with it. */
export type DeliveryFaults = {
  /** How many times each delivery is sent, with the same id; usually 1. */
  copies: number
  /** Whether deliveries wait, and leave in the wrong order when this is switched off. */
  isHeld: boolean
}
export type DeliveryOutbox = {
  /**
   * Writes one event for every subscription of its topic. Must be called inside the transaction
   * that makes the change. `fields` are the payload.
   */
  write: (topic: string, fields: object, triggeredAt: Date) => void
  wake: () => void
  waiting: () => number
  /** Resolves when no delivery is waiting. Never, while they are held. */
  delivered: () => Promise<void>
  faults: () => DeliveryFaults
  setFaults: (faults: Partial<DeliveryFaults>) => void
  close: () => Promise<void>
}
type Row = {
  webhook_id: string
  event_id: string
  topic: string
  url: string
  subscription: number | null
  body: string
  triggered_at: string
  attempts: number
}

/** The platform tries again eight times in four hours, always with the same payload. */
export const retries = 8
const usualFirstWait = (4 * hour) / (2 ** retries - 1)
const connectWithin = 1_000,
  answerWithin = 5_000,
  atOnce = 8

/** `target`: the origin that paths of subscriptions are below. `secret`: the app's. */
export function openDeliveries({
  db,
  target,
  secret,
  subscriptions,
  log,
  firstWait = usualFirstWait,
}: {
  db: Database
  target: string
  secret: string
  subscriptions: Subscriptions
  log: FastifyBaseLogger | undefined
  firstWait?: number | undefined
}): DeliveryOutbox {
  db.exec(`create table if not exists shopify_deliveries (
    webhook_id text primary key, event_id text not null, topic text not null, url text not null, subscription integer,
    body text not null, triggered_at text not null, attempts integer not null default 0, next_at integer not null) strict`)
  const insert = db.prepare(
    'insert into shopify_deliveries (webhook_id, event_id, topic, url, subscription, body, triggered_at, next_at) values (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const due = db.prepare(
    'select * from shopify_deliveries where next_at <= ? order by next_at, rowid limit ?',
  )
  const next = db.prepare('select min(next_at) as at from shopify_deliveries')
  const drop = db.prepare('delete from shopify_deliveries where webhook_id = ?')
  const again = db.prepare(
    'update shopify_deliveries set attempts = attempts + 1, next_at = ? where webhook_id = ?',
  )
  const count = db.prepare('select count(*) as count from shopify_deliveries')
  const all = db.prepare('select webhook_id from shopify_deliveries order by rowid')
  const turn = db.prepare('update shopify_deliveries set next_at = ? where webhook_id = ?')
  const agent = new Agent({ connect: { timeout: connectWithin }, connections: atOnce })
  const ended = new AbortController()
  let faults: DeliveryFaults = { copies: 1, isHeld: false }
  /** Whether what was held leaves one by one, the last first. */
  let isReversed = false
  let running: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  const onDelivered: (() => void)[] = []

  async function post(row: Row): Promise<boolean> {
    try {
      const { statusCode, body } = await request(row.url, {
        method: 'POST',
        dispatcher: agent,
        headersTimeout: answerWithin,
        bodyTimeout: answerWithin,
        signal: ended.signal,
        body: row.body,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Shopify-Captain-Hook',
          'x-shopify-topic': row.topic,
          'x-shopify-shop-domain': shopifyShop.domain,
          'x-shopify-webhook-id': row.webhook_id,
          'x-shopify-event-id': row.event_id,
          'x-shopify-triggered-at': row.triggered_at,
          'x-shopify-api-version': apiVersion,
          'x-shopify-hmac-sha256': createHmac('sha256', secret).update(row.body).digest('base64'),
        },
      })
      await body.dump()
      return statusCode >= 200 && statusCode < 300
    } catch {
      return false
    }
  }
  async function sendOne(row: Row): Promise<void> {
    let isTaken = true
    for (let nth = 0; nth < faults.copies; nth++) isTaken = (await post(row)) && isTaken
    if (ended.signal.aborted && !isTaken) return
    if (row.subscription !== null) subscriptions.note(row.subscription, isTaken)
    if (isTaken) return void drop.run(row.webhook_id)
    log?.warn({ topic: row.topic, webhook: row.webhook_id }, 'webhook not taken')
    if (row.attempts >= retries) drop.run(row.webhook_id)
    else again.run(Date.now() + Math.round(firstWait * 2 ** row.attempts), row.webhook_id)
  }
  async function sendDue(): Promise<void> {
    // Lets the answer to what happened leave first.
    await new Promise(setImmediate)
    while (!ended.signal.aborted && !faults.isHeld) {
      const rows = due.all(Date.now(), atOnce) as Row[]
      if (rows.length === 0) {
        isReversed = false
        return
      }
      if (isReversed) for (const row of rows) await sendOne(row)
      else await Promise.all(rows.map(sendOne))
    }
  }
  function wake(): void {
    if (ended.signal.aborted || running || faults.isHeld) return
    clearTimeout(timer)
    running = sendDue()
      .catch((error: unknown) => log?.error({ err: error }, 'webhooks not sent'))
      .finally(() => {
        running = null
        if (ended.signal.aborted) return
        const { at } = next.get() as { at: number | null }
        if (at === null) for (const settle of onDelivered.splice(0)) settle()
        else timer = setTimeout(wake, Math.max(10, at - Date.now()))
      })
  }

  wake()
  return {
    write: (topic, fields, triggeredAt) => {
      const eventId = randomUUID()
      for (const subscription of subscriptions.of(topic))
        insert.run(
          randomUUID(),
          eventId,
          topic,
          new URL(subscription.uri, target).href,
          subscription.id,
          JSON.stringify(only(fields, subscription)),
          triggeredAt.toISOString(),
          Date.now(),
        )
    },
    wake,
    waiting: () => (count.get() as { count: number }).count,
    delivered: () =>
      new Promise(resolve => {
        onDelivered.push(resolve)
        wake()
      }),
    faults: () => faults,
    setFaults: changed => {
      const wasHeld = faults.isHeld
      faults = { ...faults, ...changed }
      if (!wasHeld || faults.isHeld) return
      isReversed = true
      const now = Date.now()
      for (const [i, row] of (all.all() as Pick<Row, 'webhook_id'>[]).entries())
        turn.run(now - i, row.webhook_id)
      wake()
    },
    close: async () => {
      ended.abort()
      clearTimeout(timer)
      await running
      await agent.close()
    },
  }
}

/** The payload with the fields that a subscription wants. */
const only = (fields: object, { includeFields }: Pick<Subscription, 'includeFields'>): object =>
  includeFields.length === 0
    ? fields
    : Object.fromEntries(Object.entries(fields).filter(([name]) => includeFields.includes(name)))
