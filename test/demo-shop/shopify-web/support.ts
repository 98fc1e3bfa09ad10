import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { DemoShopOptions } from '../../../demo-shop/options.ts'
import { openShop } from '../support/demo-shop.ts'

export const apiKey = 'key-of-the-platform',
  apiSecret = 'a-secret-of-the-platform'
export const base = '/admin/store/fern-and-kiln/apps/twinshelf'

/** Opens a shop that shows itself on the second platform only. */
export async function openWeb(
  t: Test,
  {
    shopify,
    ...options
  }: Omit<Partial<DemoShopOptions>, 'shopify'> & {
    shopify?: Partial<NonNullable<DemoShopOptions['shopify']>>
  } = {},
) {
  const shop = await openShop(t, {
    hasDemoApp: false,
    shopify: { keys: { apiKey, apiSecret }, appHandle: 'twinshelf', ...shopify },
    ...options,
  })
  return { ...shop, web: shop.web!, face: shop.shopify! }
}

export type Delivery = { url: string; headers: IncomingHttpHeaders; body: string }

/** A server that takes webhooks. It answers as the test says, and remembers them. */
export async function receiver(t: Test, answer: (delivery: Delivery, nth: number) => number) {
  const deliveries: Delivery[] = []
  const waiting: (() => void)[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { url, headers } = request
      const delivery = { url: url!, headers, body: Buffer.concat(chunks).toString() }
      deliveries.push(delivery)
      response.writeHead(answer(delivery, deliveries.length)).end()
      waiting.splice(0).forEach(look => look())
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deliveries,
    /** Resolves when this many deliveries have come. */
    count: async (wanted: number) => {
      while (deliveries.length < wanted) await new Promise<void>(resolve => waiting.push(resolve))
    },
  }
}
