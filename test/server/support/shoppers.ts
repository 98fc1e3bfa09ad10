import type { ArmIndex } from '../../../domain/arm.ts'
import { beacon, collect, deliver, event, order, visitorIn } from '../../engine/support/traffic.ts'
import type { Merchant } from './merchant.ts'

/** Launches a complete test on the shop's product pages by the API. */
export async function launchTest(
  { call }: Merchant,
  title: string,
  over: { variantTitle?: string; goal?: 'ConversionRate' | 'RevenuePerSession' } = {},
): Promise<string> {
  const draft = await call('createDraft', { body: { kind: 'PageElement', title, ...over } })
  const variant = draft.hypotheses.find(h => h.arm === 'variant')!
  await call('setDomSelectors', {
    params: { id: variant.id },
    body: {
      domSelectors: [
        {
          id: '',
          urlPatterns: ['/products/*'],
          actions: [{ selector: '.buy', kind: 'text', value: 'Ships today', name: '' }],
        },
      ],
    },
  })
  return (await call('launchDraft', { params: { id: draft.id } })).testId
}

/**
 * New visitors of one arm: all see the test, and some of them click, add to the cart and buy for
 * `price`.
 */
export type Crowd = {
  arm: ArmIndex
  visitors: number
  clickers?: number
  adders?: number
  buyers?: number
  price?: string
}

/**
 * Sends crowds through the collector and their orders through the webhook, then rolls the figures
 * up.
 */
export async function visit(
  { engine: { engine, shop, now } }: Merchant,
  testId: string,
  crowds: Crowd[],
): Promise<void> {
  const at = now.at.getTime()
  for (const { arm, visitors, clickers = 0, adders = 0, buyers = 0, price = '10.00' } of crowds) {
    const people = Array.from({ length: visitors }, (_, i) =>
      visitorIn(testId, arm, `${at}-${arm}-${i}`),
    )
    const answers = await Promise.all(
      people.map((person, i) =>
        collect(
          engine.app,
          beacon(
            person,
            { [testId]: [arm, 7] },
            [
              event('exposure', at, [testId]),
              event('view', at),
              ...(i < clickers ? [event('click', at + 1, [testId])] : []),
              ...(i < adders ? [event('cart', at + 2)] : []),
            ],
            { sent: at + 3 },
          ),
          { origin: shop.origin },
        ),
      ),
    )
    const orders = await Promise.all(
      people
        .slice(0, buyers)
        .map(person => deliver(engine.app, order(`order-${person}`, person, at + 10, price))),
    )
    const refused = [...answers, ...orders].find(answer => answer.statusCode >= 300)
    if (refused) throw new Error(`${refused.statusCode} ${refused.body}`)
  }
  await engine.rollUp()
}
