import { randomUUID } from 'node:crypto'
import { request } from 'undici'
import { cartAttribute } from '../../../domain/events/event.ts'
import { priceAttribute } from '../../../domain/prices/price-test.ts'
import type { Engine } from '../../../engine/app.ts'
import { browser } from './traffic.ts'
import { firstShop } from './small-shop.ts'

export type PlacedLine = {
  variant_id: number
  product_id: number
  quantity: number
  unit_price: string
  price: string
  amount: string
  presentment: { unit_price: string; price: string; amount: string }
  selling_plan: object | null
}
export type PlacedOrder = {
  id: string
  name: string
  created_at: string
  currency: string
  presentment: {
    currency: string
    rate: number
    step: number
    ending: number
    subtotal_price: string
  }
  line_items: PlacedLine[]
  note_attributes: { name: string; value: string }[]
}
export type ShownCart = {
  items: { id: number; key: string; quantity: number; price: number; original_price: number }[]
  attributes: Record<string, string>
  currency: string
}

const address = {
  email: 'ada@example.com',
  name: 'Ada Lind',
  address: '1 Kiln Lane',
  city: 'Portland',
  postcode: '97201',
  country: 'United States',
}

/**
 * A shopper over HTTP without a browser. It keeps cookies; the test calls what the storefront
 * script would do.
 */
export function shopperAt(origin: string, visitor: string) {
  const cookies = new Map<string, string>()
  const json = async <T>(path: string, payload: object): Promise<T> => {
    const { statusCode, headers, body } = await request(origin + path, {
      method: 'POST',
      body: JSON.stringify(payload),
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    })
    for (const line of [headers['set-cookie'] ?? []].flat()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (value) cookies.set(name!, value)
      else cookies.delete(name!)
    }
    const text = await body.text()
    if (statusCode >= 300) throw new Error(`${path} answered ${statusCode}: ${text}`)
    return JSON.parse(text) as T
  }
  return {
    visitor,
    cookies,
    /**
     * Enters tests as the script does: writes the visitor and the tests into the cart, which the
     * order copies.
     */
    stamp: (tests: readonly string[]) =>
      json<ShownCart>('/cart/update.js', {
        attributes: { [cartAttribute]: visitor, [priceAttribute]: tests.join(',') },
      }),
    /** Sets the cookie of the currency choice in the footer. */
    payIn: (currency: string) => cookies.set('currency', currency),
    add: (...items: { id: number; quantity?: number; selling_plan?: number | undefined }[]) =>
      json<ShownCart>('/cart/add.js', { items }),
    set: (id: string, quantity: number) => json<ShownCart>('/cart/change.js', { id, quantity }),
    /** `test`: paid with the platform's test card. */
    order: (test = false) => json<PlacedOrder>('/checkout', { ...address, test }),
  }
}

/** Tells the collector that a visitor has met tests, as their browser does. */
export async function meet(
  engine: Engine,
  visitor: string,
  arms: Record<string, 0 | 1>,
  at: number,
): Promise<void> {
  const tests = Object.fromEntries(Object.entries(arms).map(([id, arm]) => [id, [arm, 7]]))
  const events = Object.keys(arms).map(id => ({
    id: randomUUID(),
    at,
    kind: 'exposure',
    path: '/',
    tests: [id],
  }))
  const beacon = {
    v: 1,
    shop: firstShop,
    visitor,
    session: randomUUID(),
    sent: at,
    isNew: true,
    landing: '/',
    referrer: '',
    tests,
    events,
  }
  const { statusCode, body } = await engine.app.inject({
    method: 'POST',
    url: '/collect',
    headers: {
      'content-type': 'text/plain;charset=UTF-8',
      'user-agent': browser,
      origin: `https://${firstShop}`,
    },
    payload: JSON.stringify(beacon),
  })
  if (statusCode !== 204) throw new Error(`The collector answered ${statusCode}: ${body}`)
}
