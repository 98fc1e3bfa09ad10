import { spawn, type ChildProcess } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { cartAttribute } from '../../domain/events/event.ts'
import { address, appSecret, openShop, shopperOf, temporaryFolder } from './support/demo-shop.ts'

type Delivery = { url: string; headers: IncomingHttpHeaders; body: string; at: number }

/** An HTTP server for webhooks. It answers as the test says and remembers every delivery. */
async function receiver(t: Test, answer: (nth: number) => number | 'hang up') {
  const deliveries: Delivery[] = []
  const waiting: (() => void)[] = []
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise<void>(resolve => waiting.push(resolve))
  }
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      deliveries.push({
        url: request.url!,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        at: Date.now(),
      })
      const status = answer(deliveries.length)
      if (status === 'hang up') request.socket.destroy()
      else response.writeHead(status).end()
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
    count: (wanted: number) => until(() => deliveries.length >= wanted),
    until,
  }
}

/** Longer than any test waits, so a delivery with this wait does not happen. Milliseconds. */
const anHour = 3_600_000
const buy = async (shop: Awaited<ReturnType<typeof openShop>>, visitor: string) => {
  const shopper = shopperOf(shop)
  await shopper.json('/cart/add.js', {
    id: 30100,
    quantity: 2,
    attributes: { [cartAttribute]: visitor },
  })
  return (await shopper.json('/checkout', address)).json<{ id: string }>()
}

t.test('an order is sent once, and the signature covers the raw body', async t => {
  const app = await receiver(t, () => 200)
  const shop = await openShop(t, {
    engineOrigin: app.origin,
    clock: () => new Date('2026-11-20T15:00:00Z'),
  })
  const { id } = await buy(shop, 'visitor-1')
  await shop.delivered()
  t.equal(app.deliveries.length, 1)
  const { url, headers, body } = app.deliveries[0]!
  t.equal(url, '/webhooks/demo/orders-create')
  t.match(headers, {
    'x-demo-topic': 'orders/create',
    'x-demo-shop': 'fern-and-kiln.demo-shop.test',
    'x-demo-delivery-id': /^[0-9a-f-]{36}$/,
    'x-demo-triggered-at': '2026-11-20T15:00:00.000Z',
    'content-type': 'application/json',
  })
  t.equal(
    headers['x-demo-hmac-sha256'],
    createHmac('sha256', appSecret).update(body).digest('base64'),
  )
  t.match(JSON.parse(body), {
    id,
    created_at: '2026-11-20T15:00:00.000Z',
    currency: 'USD',
    subtotal_price: '36.00',
    refunded: '0.00',
    test: false,
    note_attributes: [{ name: cartAttribute, value: 'visitor-1' }],
    // The signed body repeats the facts of the headers, which no signature covers.
    delivery: {
      id: headers['x-demo-delivery-id'],
      topic: 'orders/create',
      shop: 'fern-and-kiln.demo-shop.test',
      triggered_at: '2026-11-20T15:00:00.000Z',
    },
  })
})

t.test('a failed delivery is sent again, unchanged, after growing waits', async t => {
  const app = await receiver(t, nth => (nth === 1 ? 503 : nth === 2 ? 'hang up' : 204))
  const shop = await openShop(t, { engineOrigin: app.origin })
  await buy(shop, 'visitor-1')
  await shop.delivered()
  const [first, second, third] = app.deliveries as [Delivery, Delivery, Delivery]
  t.equal(app.deliveries.length, 3)
  t.same([second.body, third.body], [first.body, first.body])
  t.equal(
    new Set(app.deliveries.map(d => d.headers['x-demo-delivery-id'])).size,
    1,
    'all attempts have the same delivery id',
  )
  const waits = [second.at - first.at, third.at - second.at]
  t.ok(waits[0]! >= 790 && waits[1]! >= 1590, `about 1 and 2 seconds: ${waits.join(', ')}`)
})

t.test('after one success, older deliveries are sent without waiting longer', async t => {
  let isUp = false
  const app = await receiver(t, () => (isUp ? 200 : 503))
  const shop = await openShop(t, { engineOrigin: app.origin, webhookWait: anHour })
  await buy(shop, 'visitor-1')
  await app.count(1)
  isUp = true
  await buy(shop, 'visitor-2')
  await shop.delivered()
  t.same(
    app.deliveries.map(d => /visitor-\d/.exec(d.body)![0]),
    ['visitor-1', 'visitor-2', 'visitor-1'],
  )
})

t.test('a delivery that the app refuses does not delay the others', async t => {
  const app = await receiver(t, nth => (nth === 1 ? 400 : 200))
  const shop = await openShop(t, { engineOrigin: app.origin, webhookWait: anHour })
  const [first, second] = [await buy(shop, 'visitor-1'), await buy(shop, 'visitor-2')]
  await app.count(2)
  t.same(
    new Set(app.deliveries.slice(0, 2).map(d => (JSON.parse(d.body) as { id: string }).id)),
    new Set([first.id, second.id]),
  )
})

t.test(
  'kill −9 loses no order and no delivery: the next start sends what was not acknowledged',
  async t => {
    let isUp = false
    const app = await receiver(t, () => (isUp ? 200 : 503))
    const dataDir = temporaryFolder(t)
    const first = await startProcess(t, dataDir, app.origin)
    const orders: string[] = []
    for (let i = 0; i < 5; i++) {
      const cart = await post(`${first.origin}/cart/add.js`, {
        id: 30100,
        attributes: { [cartAttribute]: `visitor-${i}` },
      })
      const paid = await post(
        `${first.origin}/checkout`,
        address,
        cart.headers.getSetCookie()[0]!.split(';')[0],
      )
      orders.push(((await paid.json()) as { id: string }).id)
    }
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    isUp = true
    const before = app.deliveries.length
    await startProcess(t, dataDir, app.origin)
    // Deliveries of the first process may still arrive after its end.
    const told = () =>
      new Set(app.deliveries.slice(before).map(d => (JSON.parse(d.body) as { id: string }).id))
    await app.until(() => told().size >= 5)
    t.same(told(), new Set(orders))
  },
)

async function post(url: string, body: object, cookie = ''): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', cookie },
  })
}

/** Starts the demo shop in another process. */
async function startProcess(
  t: Test,
  dataDir: string,
  engineOrigin: string,
): Promise<{ child: ChildProcess; origin: string }> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'demo-shop/main.ts'],
    {
      env: {
        ...process.env,
        NODE_ENV: 'test',
        DATA_DIR: dataDir,
        DEMO_SHOP_PORT: '0',
        ENGINE_ORIGIN: engineOrigin,
        DEMO_APP_SECRET: appSecret,
        LOG_LEVEL: 'info',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  t.teardown(() => child.kill('SIGKILL'))
  for await (const line of child.stdout!) {
    const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(String(line)) ?? []
    if (origin) return { child, origin }
  }
  throw new Error('The demo shop did not start.')
}
