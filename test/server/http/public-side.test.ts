import t from 'tap'
import { createServer, request, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import { listenForMetrics } from '../../../engine/operators/metrics-listener.ts'
import { buildApp } from '../../../server/app.ts'
import { type BodyLimits } from '../../../server/http/body-reader.ts'
import { appConfig } from '../../../server/config.ts'
import { publicSide } from '../../../server/http/public-side.ts'
import { beacon, countOf, deliver, event, order, visitorIn } from '../../engine/support/traffic.ts'
import { launchTest } from '../support/shoppers.ts'
import { openShop } from '../../demo-shop/support/demo-shop.ts'
import { startMerchant } from '../support/merchant.ts'
import { smallUpstream } from '../support/small-upstream.ts'

const merchant = await startMerchant()
const {
  engine,
  app: { app },
} = merchant
t.teardown(merchant.close)
const origin = await app.listen({ port: 0, host: '127.0.0.1' })

t.test("the app's port takes events, only from the shop's pages", async t => {
  const id = await launchTest(merchant, 'Ships today')
  const at = engine.now.at.getTime(),
    body = JSON.stringify(
      beacon(visitorIn(id, 0, 'a'), { [id]: [0, 7] }, [event('exposure', at, [id])], { sent: at }),
    )
  const collect = (from: string, payload: string) =>
    fetch(`${origin}/collect`, {
      method: 'POST',
      body: payload,
      headers: { 'content-type': 'text/plain', origin: from },
    })
  const answer = await collect(engine.shop.origin, body)
  t.equal(answer.status, 204)
  t.equal(answer.headers.get('access-control-allow-origin'), engine.shop.origin)
  t.equal(await countOf(engine.db, 'events'), 1)
  t.equal((await collect('https://evil.test', body)).status, 403)
  t.equal((await collect(engine.shop.origin, '{')).status, 400)
  t.equal((await collect(engine.shop.origin, 'x'.repeat(65 * 1024))).status, 413)
  t.equal(await countOf(engine.db, 'events'), 1)
})

t.test('the app serves the engine’s script compressed and with revalidation', async t => {
  const plain = await fetch(`${origin}/s/fern-and-kiln.demo-shop.test.js`, {
    headers: { 'accept-encoding': 'br' },
  })
  t.equal(plain.status, 200)
  t.match(plain.headers.get('cache-control'), 'max-age=60')
  t.match(await plain.text(), 'ran=config')
  t.equal(
    (
      await fetch(`${origin}/s/fern-and-kiln.demo-shop.test.js`, {
        headers: { 'if-none-match': plain.headers.get('etag')! },
      })
    ).status,
    304,
  )
  t.equal((await fetch(`${origin}/s/none.js`)).status, 404)
})

t.test('webhooks are passed on byte for byte, so their signature stays valid', async t => {
  // Unusual spaces: if the app parsed and serialised the body, its signature would be wrong.
  const body = JSON.stringify(
    order('order-1', visitorIn('x', 0, 'a'), engine.now.at.getTime(), '10.00'),
    null,
    3,
  )
  t.equal((await deliver(app, body)).statusCode, 200)
  t.equal((await deliver(app, body, { 'x-demo-hmac-sha256': 'AAAA' })).statusCode, 401)
  t.equal(await countOf(engine.db, 'orders'), 1)
})

t.test('a body of unknown length is cut off at the limit', async t => {
  const sending = request(`${origin}/collect`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
  })
  sending.on('error', () => {})
  const answering = once(sending, 'response') as Promise<[IncomingMessage]>
  for (let i = 0; i < 10; i++) sending.write('x'.repeat(10 * 1024))
  const [response] = await answering
  t.equal(response.statusCode, 413)
  t.match(await text(response), 'too large')
  sending.destroy()
})

t.test("the app's cookies do not reach the engine, and a stopped engine is 502", async t => {
  const server = createServer((incoming, response) =>
    response.end(JSON.stringify(incoming.headers)),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const other = await buildApp({
    config: appConfig({}),
    upstreamOrigin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  })
  t.teardown(other.close)
  const seen = (
    await other.app.inject({
      url: '/s/x.js',
      headers: { cookie: 'ts_a=secret', 'x-forwarded-for': '6.6.6.6' },
    })
  ).json<Record<string, string>>()
  t.notOk(seen.cookie)
  t.notMatch(seen['x-forwarded-for'], '6.6.6.6')
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  t.match(await other.app.inject('/s/x.js'), { statusCode: 502 })
})

/**
 * A client that sends the headers of a beacon and a part of its body. Resolves when the server has
 * read the headers.
 */
async function halfSent(origin: string, part: string, told = 1000): Promise<Socket> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(
    `POST /collect HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: text/plain\r\ncontent-length: ${told}\r\nexpect: 100-continue\r\n\r\n`,
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  if (!answer.toString().startsWith('HTTP/1.1 100')) throw new Error(answer.toString())
  socket.write(part)
  return socket
}

/** The number of clients. `npm run soak` opens more. */
const sockets = Number(process.env['SOCKETS'] ?? 70)
t.test(`${sockets} clients with unfinished requests do not block the collector`, async t => {
  const halves = await Promise.all(
    Array.from({ length: sockets }, () => halfSent(origin, '{"shop":')),
  )
  t.teardown(() => halves.forEach(socket => socket.destroy()))
  for (const vanished of halves.splice(0, sockets / 2)) vanished.resetAndDestroy()
  const began = performance.now()
  const answer = await fetch(`${origin}/collect`, {
    method: 'POST',
    body: '{',
    headers: { 'content-type': 'text/plain', origin: engine.shop.origin },
    signal: AbortSignal.timeout(10_000),
  })
  t.equal(answer.status, 400, 'the engine answered')
  // Only in the soak: in the suite other files may use the processor.
  if (process.env['SOCKETS'])
    t.ok(performance.now() - began < 1000, `after ${Math.round(performance.now() - began)} ms`)
  t.equal(
    (
      await fetch(`${origin}/s/fern-and-kiln.demo-shop.test.js`, {
        signal: AbortSignal.timeout(10_000),
      })
    ).status,
    200,
  )
})

t.test(
  'a body that comes too late is refused, and so is the oldest one when there are too many',
  async t => {
    const upstream = await smallUpstream()
    t.teardown(upstream.close)
    const start = async (bodies: BodyLimits) => {
      const alone = Fastify()
      await alone.register(publicSide, { upstreamOrigin: upstream.origin, bodies })
      t.teardown(() => alone.close())
      return alone.listen({ port: 0, host: '127.0.0.1' })
    }
    const statusOf = async (socket: Socket) =>
      ((await once(socket, 'data')) as [Buffer])[0].toString().split(' ')[1]
    t.equal(
      await statusOf(await halfSent(await start({ time: 500, held: 1000 }), 'x')),
      '503',
      'too late: a 503 lets the shopper’s script try again',
    )
    const crowded = await start({ time: 60_000, held: 150 })
    const first = statusOf(await halfSent(crowded, 'x'.repeat(100)))
    const second = await halfSent(crowded, 'y'.repeat(100), 101)
    t.equal(await first, '503', 'the oldest is refused for the newer one')
    const answered = statusOf(second)
    second.write('z')
    t.equal(await answered, '404', 'the upstream answered it')
    t.same(upstream.asked, ['POST /collect'], 'unfinished bodies were not passed on')
  },
)

t.test('every server gives its clients a limited time', async t => {
  const metrics = await listenForMetrics({ port: 0, host: '127.0.0.1' }, [], app.log)
  t.teardown(metrics.close)
  for (const [name, server] of Object.entries({
    app: app.server,
    engine: engine.engine.app.server,
    'demo shop': (await openShop(t)).app.server,
    metrics: metrics.server,
  }))
    t.match(server, { headersTimeout: 15_000, requestTimeout: 120_000, timeout: 120_000 }, name)
})

t.test('beacons that wait for their store do not delay scripts or webhooks', async t => {
  const waiting: (() => void)[] = []
  const slow = createServer(async (asked, answer) => {
    if (!(await text(asked)).includes('busy')) answer.end('here')
    else waiting.push(() => answer.writeHead(204).end())
  }).listen(0, '127.0.0.1')
  await once(slow, 'listening')
  const own = Fastify()
  await own.register(publicSide, {
    upstreamOrigin: `http://127.0.0.1:${(slow.address() as AddressInfo).port}`,
  })
  const send = (shop: string) =>
    own.inject({
      method: 'POST',
      url: '/collect',
      payload: JSON.stringify({ shop }),
      headers: { 'content-type': 'text/plain' },
    })
  let refused = 0
  const sendMany = (shop: string, count: number) =>
    Array.from({ length: count }, async () => {
      const { statusCode } = await send(shop)
      if (statusCode === 503) refused++
      return statusCode
    })
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise(resolve => setImmediate(resolve))
  }
  const beacons = sendMany('busy-1', 64 + 200 + 7)
  await until(() => waiting.length === 64 && refused === 7)
  beacons.push(...sendMany('busy-2', 32 + 100 + 9))
  await until(() => waiting.length === 96 && refused === 16)
  t.equal((await send('another')).body, 'here', 'another shop’s begin at once')
  t.equal((await own.inject({ url: '/s/another.js' })).body, 'here')
  t.equal(
    (
      await own.inject({
        method: 'POST',
        url: '/webhooks/demo/orders',
        payload: '{}',
        headers: { 'content-type': 'application/json' },
      })
    ).body,
    'here',
  )
  const over = setInterval(() => {
    for (const end of waiting.splice(0)) end()
  }, 10)
  const statuses = await Promise.all(beacons)
  t.equal(
    statuses.filter(status => status === 503).length,
    16,
    'beacons above the limit are refused at once',
  )
  t.equal(statuses.filter(status => status === 204).length, 264 + 132)
  clearInterval(over)
  await own.close()
  slow.close()
})
