import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { assign } from '../../domain/tests/assignment.ts'
import { isImported } from '../../domain/imports/imported.ts'
import { pixelLimits, type PixelMessage } from '../../domain/orders/pixel.ts'
import { PixelInput } from '../../domain/orders/pixel-schema.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Db } from '../db/connection.ts'
import type { Disk } from '../db/disk.ts'
import { shopOfWork } from '../db/lost.ts'
import type { CollectTokens } from '../events/collect-tokens.ts'
import { eventStores, type CollectingStore } from '../events/event-stores.ts'
import { notNow } from '../events/ingest.ts'
import { clientOf } from '../../domain/events/client-address.ts'
import { type Limits, ownLimits } from '../http/shared-limits.ts'
import { limitable, tooMany } from '../http/limits.ts'
import type { ErasedOrders } from '../stores/shoppers/erased-orders.ts'
import { storedOrder, storePixel } from './order-pixels.ts'
import type { OrderCheck } from './orders.ts'

/** `perAddress` and `perShop` limit messages per minute. */
export type PixelCollectorOptions = {
  db: Db
  clock: () => Date
  tokens: CollectTokens
  check?: OrderCheck
  erased?: ErasedOrders
  disk?: Disk
  perAddress?: number
  perShop?: number
  /** By default this process counts alone. */
  limits?: Limits
}

/**
 * POST /collect/order: takes the messages of the checkout pixel. The pixel runs in a sandbox that
 * has no origin, so each message needs the token of the pixel's configuration; a page of another
 * site is refused even with it. Anyone who looks at a checkout can read the token, so a message is
 * only believed as far as `withPixel` says, and the limits are low.
 */
export const pixelCollector: FastifyPluginAsyncTypebox<PixelCollectorOptions> = async (
  app,
  {
    db,
    clock,
    tokens,
    check = () => Promise.resolve(),
    erased,
    disk,
    perAddress = pixelLimits.perAddress,
    perShop = pixelLimits.perShop,
    limits = ownLimits,
  },
) => {
  await limitable(app, limits)
  const stores = eventStores(db, clock)
  const addresses = limits.budget('pixels of an address'),
    shops = limits.budget('pixels of a shop')
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    ['text/plain', 'application/json'],
    { parseAs: 'string', bodyLimit: pixelLimits.bytes },
    (request, body, done) => parseJson(request, String(body), done),
  )
  // Lets the pixel read the status, so that it knows whether to send again.
  app.addHook('onRequest', async (request, reply) => {
    if (request.headers.origin)
      reply.header('access-control-allow-origin', request.headers.origin).header('vary', 'origin')
  })

  app.post(
    '/collect/order',
    { schema: { body: PixelInput }, config: { rateLimit: { max: perAddress * 10 } } },
    async (request, reply) => {
      const message: PixelMessage = request.body
      if (isImported(message.visitor))
        throw new HttpProblem(400, 'This visitor id belongs to an imported test.', [
          { field: 'visitor', message: 'Must not begin like the ids of imported tests.' },
        ])
      const store = await stores.byShop(message.shop).catch((error: unknown) => {
        request.log.error({ err: error }, 'shop not looked up')
        throw notNow()
      })
      if (!store) throw new HttpProblem(404, 'There is no such shop here.')
      const { origin = 'null' } = request.headers
      const token = request.url.slice(request.url.indexOf('?') + 1)
      if (
        !tokens.holdsPixel(store.shop, token) ||
        (origin !== 'null' && !store.origins.has(origin))
      )
        throw new HttpProblem(403, 'Such messages come from the shop’s own checkout.')
      if (disk?.isHeldBack()) throw notNow()
      const wait =
        addresses.take(`${store.id} ${clientOf(request.ip)}`, 1, perAddress) ||
        shops.take(store.id, 1, perShop)
      if (wait > 0) {
        reply.header('retry-after', wait)
        throw tooMany()
      }
      await shopOfWork.run(store.shop, async () => {
        if (!(await storePixel(db, store, message, clock(), erased))) return
        if (contradicts(store, message))
          request.log.warn({ storeId: store.id }, 'a checkout pixel named an arm of its own')
        const order = await storedOrder(db, store, message.order)
        if (order) await check(store, order)
      })
      return reply.code(204).send()
    },
  )
}

/** Whether a message names an arm that its visitor cannot be in. Figures never use named arms. */
const contradicts = (
  { tests: known }: CollectingStore,
  { visitor, tests }: PixelMessage,
): boolean =>
  Object.entries(tests).some(([id, arm]) => {
    const test = known.get(id)
    return test !== undefined && assign(id, visitor, test.weights) !== arm
  })
