import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sql } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import type { Platform, WebhookDelivery } from '../platform/adapter.ts'
import { requireStorable } from '../http/validation.ts'
import type { Trx } from '../db/types.ts'

/**
 * Handles the deliveries of one topic, which may arrive late, twice and out of order. Throws
 * HttpProblem to make the platform send the delivery again.
 */
export type WebhookHandler = (delivery: WebhookDelivery, body: unknown) => Promise<void>
export type WebhookTopics = Record<string, WebhookHandler>

/**
 * The platform's signed deliveries: `orders/create` arrives at /webhooks/<platform>/orders-create.
 */
export const webhooks: FastifyPluginAsyncTypebox<{
  platform: Platform
  topics: WebhookTopics
}> = async (app, { platform, topics }) => {
  app.removeAllContentTypeParsers()
  // The signature covers the raw bytes, so keep the body unparsed.
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: 1024 * 1024 },
    (_request, body, done) => done(null, body),
  )

  for (const [topic, take] of Object.entries(topics))
    app.post(`/webhooks/${platform.name}/${topic.replace('/', '-')}`, async (request, reply) => {
      const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const delivery = platform.verifyWebhook(request.headers, raw)
      if (!delivery) throw new HttpProblem(401, 'The signature is not valid.')
      if (delivery.topic !== topic)
        throw new HttpProblem(400, `This address does not accept ${delivery.topic}.`)
      const body = jsonOf(raw)
      requireStorable(body)
      await take(delivery, body)
      return reply.code(200).send({ ok: true })
    })
}

/**
 * Records this delivery; returns false if it was recorded before. Call it in the transaction that
 * handles the delivery, so that it is handled only once.
 */
export async function isFirstDelivery(
  trx: Trx,
  storeId: string,
  { topic, deliveryId }: WebhookDelivery,
  now: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into webhook_deliveries (store_id, topic, delivery_id, received_at) values (${storeId}, ${topic}, ${deliveryId}, ${now})
    on conflict do nothing`.execute(trx)
  return Boolean(numAffectedRows)
}

function jsonOf(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'))
  } catch {
    throw new HttpProblem(400, 'The body is not JSON.')
  }
}
