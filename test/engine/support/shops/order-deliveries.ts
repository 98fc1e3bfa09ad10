import { cartAttribute } from '../../../../domain/events/event.ts'
import { order } from '../traffic.ts'

export type Delivered = {
  id: string
  at: number
  amount: number
  refunded: number
  visitor: { id: string } | null
  isTest: boolean
  type: 'oneTime' | 'subscription' | 'renewal'
  currency: string
}

/**
 * Webhook deliveries of an order: it is refunded in steps, and deliveries come out of order or
 * twice. The buyer pays in another currency, which the ledger ignores.
 */
export function deliveriesOf(o: Delivered, i: number) {
  const decimal = (minor: number) => (minor / 100).toFixed(2)
  const types = { oneTime: 'one_time', subscription: 'subscription', renewal: 'renewal' }
  // Newer fields of the platform, and amounts in the buyer's currency.
  const besides = {
    name: `#${o.id}`,
    order_type: types[o.type],
    presentment: { currency: o.currency, subtotal_price: '17.31' },
    presentment_currency: o.currency,
  }
  const steps = [0, Math.floor(o.refunded / 2), o.refunded].map((refunded, n) => ({
    body: order(o.id, null, o.at, decimal(o.amount), {
      refunded: decimal(refunded),
      test: o.isTest,
      note_attributes: o.visitor ? [{ name: cartAttribute, value: o.visitor.id }] : [],
      line_items: [
        {
          product_id: 1,
          variant_id: 2,
          title: 'A mug',
          quantity: 2,
          price: '1.00',
          selling_plan: null,
        },
      ],
      ...besides,
    }),
    headers: {
      'x-demo-topic': n === 0 ? 'orders/create' : 'orders/updated',
      'x-demo-delivery-id': `${o.id}-${n}`,
      'x-demo-triggered-at': new Date(o.at + n * 60_000).toISOString(),
    },
  }))
  return [
    [0, 1, 2],
    [2, 0, 1],
    [0, 2, 1, 2],
  ][i % 3]!.map(n => steps[n]!)
}
