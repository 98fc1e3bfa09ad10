import { createHash, createHmac } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { Agent, request, type Dispatcher } from 'undici'
import { cartAttribute, type Beacon } from '../../domain/events/event.ts'
import { priceAttribute } from '../../domain/prices/price-test.ts'
import type { orderJson } from '../orders/order.ts'
import type { Person } from './people.ts'
import type { BasketLine } from './visit.ts'

export type PlacedOrder = Pick<
  ReturnType<typeof orderJson>,
  'id' | 'created_at' | 'subtotal_price' | 'line_items'
>
export type SenderOptions = {
  shopOrigin: string
  /** Whole address of the collector. */
  collect: string
  appSecret: string
  /** The checkout gets the date of each order. */
  isPast: boolean
  /**
   * Beacons come unsigned, as from browsers on the shop's pages. Otherwise they are signed, so that
   * the collector takes them as received when they were sent.
   */
  isLive?: boolean
  connections: number
  /**
   * After this many milliseconds without any answer from a server, the request fails with an error.
   */
  longestOutage: number
}
/** What the script writes into the cart: the visitor, and the price tests that they have met. */
export type CartOwner = { visitor: string; priceTests: readonly string[] }
/**
 * Sends requests to collector and shop as shoppers' browsers do, and repeats each one until it is
 * acknowledged.
 */
export type Sender = {
  /** The same events, sent again, change nothing, so they are sent until a 2xx. */
  beacon: (beacon: Beacon, person: Person) => Promise<void>
  /** Cart and checkout. `owner` is null for a shopper who may not be counted. */
  buy: (
    lines: BasketLine[],
    owner: CartOwner | null,
    person: Person,
    at: number,
  ) => Promise<PlacedOrder>
  /**
   * Returns something from an order. `amount` is the refund, such as "12.34"; the same call again
   * refunds nothing more.
   */
  sendBack: (order: PlacedOrder, amount: string) => Promise<void>
  /** Makes the shop create the renewals that are due. */
  renew: () => Promise<void>
  dispatcher: Dispatcher
  retries: () => number
  close: () => Promise<void>
}

const timeout = 10_000
const firstWait = 200,
  longestWait = 3_000
const home = {
  address: '12 Kiln Lane',
  city: 'Portland',
  postcode: '97201',
  country: 'United States',
}

export function openSender({
  shopOrigin,
  collect,
  appSecret,
  isPast,
  isLive = false,
  connections,
  longestOutage,
}: SenderOptions): Sender {
  const dispatcher = new Agent({ connections, keepAliveTimeout: 30_000, connect: { timeout } })
  const asShop = { 'content-type': 'application/json', authorization: `Bearer ${appSecret}` }
  let retries = 0,
    answeredAt = 0

  async function post(
    url: string,
    body: string,
    headers: Record<string, string>,
  ): Promise<{ text: string; cookies: string[] }> {
    const begun = Date.now()
    for (let wait = firstWait; ; wait = Math.min(longestWait, wait * 2)) {
      let problem: string
      try {
        const response = await request(url, {
          method: 'POST',
          body,
          headers,
          dispatcher,
          headersTimeout: timeout,
          bodyTimeout: timeout,
        })
        const text = await response.body.text()
        if (response.statusCode < 300) {
          answeredAt = Date.now()
          return { text, cookies: [response.headers['set-cookie'] ?? []].flat() }
        }
        problem = `${response.statusCode} ${text.slice(0, 200)}`
        if (response.statusCode < 500 && response.statusCode !== 429)
          throw new Refused(`${new URL(url).pathname}: ${problem}`)
      } catch (error) {
        if (error instanceof Refused) throw error
        problem = String(error)
      }
      // A server that has just come back has many requests to answer, so the time counts from its
      // last answer.
      if (Date.now() > Math.max(begun, answeredAt) + longestOutage)
        throw new Error(`${url} does not answer: ${problem}`)
      retries++
      await setTimeout(wait)
    }
  }

  return {
    dispatcher,
    beacon: async (beacon, { userAgent, country }) => {
      const body = JSON.stringify(beacon)
      await post(collect, body, {
        'content-type': 'text/plain',
        'user-agent': userAgent,
        ...(isLive
          ? { origin: shopOrigin }
          : {
              // With this signature the collector takes the beacon as received when it was sent,
              // and accepts thousands of shoppers from one address.
              'x-twinshelf-replay': createHmac('sha256', appSecret).update(body).digest('hex'),
              // As the edge server would set it.
              'x-twinshelf-country': country,
            }),
        'x-forwarded-for': addressOf(beacon.visitor),
      })
    },
    buy: async (items, owner, { userAgent, name }, at) => {
      const headers = { 'content-type': 'application/json', 'user-agent': userAgent }
      const { cookies } = await post(
        `${shopOrigin}/cart/add.js`,
        JSON.stringify({ items, ...(owner && { attributes: cartAttributes(owner) }) }),
        headers,
      )
      // The same cart gives the same order, so this may be repeated too.
      const { text } = await post(
        `${shopOrigin}/checkout`,
        JSON.stringify({
          ...home,
          name,
          email: `${name.toLowerCase().replace(' ', '.')}@example.com`,
          ...(isPast && { created_at: new Date(at).toISOString() }),
        }),
        {
          ...headers,
          cookie: cookies.map(cookie => cookie.split(';')[0]).join('; '),
          authorization: `Bearer ${appSecret}`,
        },
      )
      return JSON.parse(text) as PlacedOrder
    },
    sendBack: async ({ id }, amount) => {
      // The shop answers 409 when this repeats a refund whose answer was lost.
      await post(
        `${shopOrigin}/admin/api/orders/${id}/refunds`,
        JSON.stringify({ amount, already: '0' }),
        asShop,
      ).catch((error: unknown) => {
        if (!(error instanceof Refused) || !error.message.includes(': 409 ')) throw error
      })
    },
    renew: async () => void (await post(`${shopOrigin}/admin/api/renewals`, '{}', asShop)),
    retries: () => retries,
    close: () => dispatcher.close(),
  }
}

/** A public internet address for this visitor, always the same. */
export function addressOf(visitor: string): string {
  const [a, b, c, d] = createHash('sha256').update(visitor).digest()
  return [60 + (a! % 32), b, c, 1 + (d! % 250)].join('.')
}

const cartAttributes = ({ visitor, priceTests }: CartOwner): Record<string, string> => ({
  [cartAttribute]: visitor,
  ...(priceTests.length > 0 && { [priceAttribute]: priceTests.join(',') }),
})

/** The server refused the request, and would refuse it again. */
class Refused extends Error {}
