import type { EngineContext } from '../context.ts'
import { isFirstDelivery, type EventHandlers, type WebhookHandler } from '../orders/webhooks.ts'
import { seeCapabilities } from './capabilities-seen.ts'

/**
 * The handlers of what changes a shop's own possibilities: what we may do there, and experiments
 * that the platform itself runs. Running tests are checked again, because some may be unable to
 * continue.
 */
export function shopEvents(
  context: EngineContext,
): Pick<EventHandlers, 'scopesChanged' | 'experimentChanged'> {
  const {
    db: { kysely },
    jobs,
    clock,
  } = context
  const checking =
    (first: (store: { storeId: string; shop: string }) => Promise<unknown>): WebhookHandler =>
    async delivery => {
      const store = await kysely
        .selectFrom('stores')
        .select(['store_id as storeId', 'shop', 'status'])
        .where('shop', '=', delivery.shop)
        .executeTakeFirst()
      // Nobody has opened the app yet. The first sign-in asks the platform for everything.
      if (store?.status !== 'installed') return
      await first(store)
      await kysely.transaction().execute(async trx => {
        if (await isFirstDelivery(trx, store.storeId, delivery, clock()))
          await jobs.add(trx, {
            storeId: store.storeId,
            kind: 'testCheck',
            key: 'testCheck',
            runAt: clock(),
          })
      })
    }
  return {
    // Asks the platform instead of reading the delivery, which may be late.
    scopesChanged: checking(store => seeCapabilities(context, store)),
    experimentChanged: checking(async () => {}),
  }
}
