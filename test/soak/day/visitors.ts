import { setTimeout } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { addressOf } from '../../../demo-shop/shoppers/sender.ts'
import { paths } from '../../../domain/paths.ts'
import { assign } from '../../../domain/tests/assignment.ts'
import type { ShopperEvent } from '../../../domain/events/event.ts'
import { beacon, browser, event, order, webhook } from '../../engine/support/traffic.ts'
import type { Fleet } from '../fleet/processes.ts'
import { type DayStore, tokenFor } from './stores.ts'
import type { Asked, Timings } from './timings.ts'

/** The longest time for which a request is repeated, with what no process answered. */
const longestOutage = 90_000,
  timeout = 10_000
/** A load balancer without a server, a process that stops, and a database that is away. */
const passing = [0, 429, 502, 503, 504]

/** The people of a day: shoppers of all stores, and merchants who look at their reports. */
export function dayVisitors(fleet: Fleet, times: Timings) {
  const dispatcher = new Agent({ connections: 256, keepAliveTimeout: 10_000 })
  const put = new Map<string, number>()
  let made = 0

  /** Asks until it is accepted; counts each refusal. */
  async function ask(
    asked: Asked,
    url: string,
    accepted: number,
    options: { headers: Record<string, string>; body?: string } = { headers: {} },
  ): Promise<void> {
    const began = Date.now()
    for (let wait = 200; ; wait = Math.min(3_000, wait * 2)) {
      const status = await request(url, {
        ...options,
        method: options.body === undefined ? 'GET' : 'POST',
        dispatcher,
        headersTimeout: timeout,
        bodyTimeout: timeout,
      }).then(
        async answer => {
          await answer.body.dump()
          return answer.statusCode
        },
        () => 0,
      )
      if (status === accepted) {
        times.add({ asked, at: began, took: Date.now() - began })
        return
      }
      put.set(`${asked} ${status}`, (put.get(`${asked} ${status}`) ?? 0) + 1)
      if (!passing.includes(status) || Date.now() > began + longestOutage)
        throw new Error(`${asked} at ${url} answers ${status}`)
      await setTimeout(wait)
    }
  }

  /** A visit: the script, two pages, perhaps a click, a cart and an order. */
  async function shop(store: DayStore): Promise<void> {
    const { shop: name, testId } = store,
      visitor = `day-visitor-${process.pid}-${made++}`,
      arm = assign(testId, visitor, [0.5, 0.5])
    const origin = `https://${name}`,
      from = { 'x-forwarded-for': addressOf(visitor), 'user-agent': browser }
    const send = async (events: ShopperEvent[]) => {
      const body = beacon(visitor, { [testId]: [arm, 7] }, events, { sent: Date.now(), shop: name })
      await ask('collector', `${fleet.engine}/collect`, 204, {
        headers: { ...from, origin, 'content-type': 'text/plain' },
        body: JSON.stringify(body),
      })
      store.events += events.length
    }
    await ask('script', `${fleet.app}/s/${name}.js`, 200, { headers: from })
    const landed = Date.now()
    await send([event('exposure', landed, [testId]), event('view', landed)])
    store.arms[arm].exposed++
    await setTimeout(500 + Math.random() * 2_500)
    const later = [event('view', Date.now())]
    if (Math.random() < 0.4) later.push(event('click', Date.now(), [testId]))
    const buys = Math.random() < 0.08
    if (buys || Math.random() < 0.15) later.push(event('cart', Date.now()))
    await send(later)
    if (buys) await buy(store, visitor, arm)
  }

  async function buy({ shop: name, arms }: DayStore, visitor: string, arm: 0 | 1): Promise<void> {
    const cents = 1_000 + Math.floor(Math.random() * 9_000),
      now = Date.now()
    const body = order(`order-${visitor}`, visitor, now, (cents / 100).toFixed(2))
    const { payload, headers } = webhook(JSON.stringify(body), {
      'x-demo-shop': name,
      'x-demo-triggered-at': new Date(now).toISOString(),
    })
    await ask('webhook', `${fleet.engine}/webhooks/demo/orders-create`, 200, {
      headers,
      body: payload,
    })
    arms[arm].orders++
    arms[arm].revenue += cents
  }

  /** A merchant looks at the list and at a report. */
  async function look(store: DayStore): Promise<void> {
    const cookie = `ts_${store.shop.split('.')[0]}=${await tokenFor(store)}`
    for (const path of [paths.home(), paths.report(store.testId)])
      await ask('page', fleet.app + path, 200, { headers: { cookie, accept: 'text/html' } })
  }

  return {
    shop,
    look,
    /** How many visitors came. */
    came: () => made,
    /** How often each was put off, by what was asked and the status (0: no answer). */
    putOff: () => Object.fromEntries(put),
    close: () => dispatcher.close(),
  }
}
