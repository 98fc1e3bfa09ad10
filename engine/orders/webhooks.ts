import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sql } from 'kysely'
import type { ShopEvent } from '../../domain/platform/shop-event.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { PlatformAdapter, WebhookDelivery } from '../platform/adapter.ts'
import { shopOfWork } from '../db/lost.ts'
import { requireStorable } from '../http/validation.ts'
import type { Trx } from '../db/types.ts'

/**
 * Handles the deliveries of one event, which may arrive late, twice and out of order, and after the
 * uninstall. Throws HttpProblem to make the platform send the delivery again. The body is as the
 * platform writes it, so the platform's adapter must parse it.
 */
export type WebhookHandler = (
  delivery: WebhookDelivery,
  body: unknown,
  platform: PlatformAdapter,
) => Promise<void>
export type EventHandlers = Record<ShopEvent, WebhookHandler>

/**
 * Thrown by a handler for a shop that we do not have: the app is installed there, and nobody has
 * opened it yet. The delivery is acknowledged and forgotten (decision 096).
 */
export class UnknownShop extends HttpProblem {
  constructor() {
    super(404, 'There is no such shop here.')
  }
}

/** The platforms' signed deliveries. Each platform has an address for each of its topics. */
export const webhooks: FastifyPluginAsyncTypebox<{
  platforms: readonly PlatformAdapter[]
  handlers: Partial<EventHandlers>
}> = async (app, { platforms, handlers }) => {
  app.removeAllContentTypeParsers()
  // The signature covers the raw bytes, so keep the body unparsed.
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: 1024 * 1024 },
    (_request, body, done) => done(null, body),
  )

  const each = platforms.flatMap(platform =>
    Object.entries(platform.topics).flatMap(([topic, event]) => {
      const take = handlers[event]
      return take ? [{ platform, topic, take }] : []
    }),
  )
  for (const { platform, topic, take } of each)
    app.post(`/webhooks/${platform.name}/${topic.replace('/', '-')}`, async (request, reply) => {
      const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const delivery = platform.verifyWebhook(request.headers, raw)
      if (!delivery || !platform.hosts(delivery.shop))
        throw new HttpProblem(401, 'The signature is not valid.')
      if (delivery.topic !== topic)
        throw new HttpProblem(400, `This address does not accept ${delivery.topic}.`)
      const body = jsonOf(raw)
      requireStorable(body)
      try {
        await shopOfWork.run(delivery.shop, () => take(delivery, body, platform))
      } catch (error) {
        if (!(error instanceof UnknownShop)) throw error
        request.log.info({ shop: delivery.shop, topic }, 'a webhook of a shop that we do not have')
      }
      return reply.code(200).send({ ok: true })
    })
}

/**
 * Records this delivery; returns false if it was recorded before. Call it in the transaction that
 * handles the delivery, so that it is handled only once. It is recorded under the platform's topic,
 * as in all versions before, so that an upgrade takes no old delivery again.
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
