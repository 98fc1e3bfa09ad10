import t from 'tap'
import { createServer, request, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { buildApp } from '../../server/app.ts'
import { appConfig } from '../../server/config.ts'
import { beacon, countOf, deliver, event, order, visitorIn } from '../engine/traffic.ts'
import { launchTest } from './shoppers.ts'
import { startMerchant } from './merchant.ts'

const merchant = await startMerchant()
const { engine, app: { app } } = merchant
t.teardown(merchant.close)
const origin = await app.listen({ port: 0, host: '127.0.0.1' })

t.test('events come in on the app\'s own port, from the shop\'s pages alone', async t => {
  const id = await launchTest(merchant, 'Ships today')
  const at = engine.now.at.getTime(), body = JSON.stringify(beacon(visitorIn(id, 0, 'a'), { [id]: [0, 7] }, [event('exposure', at, [id])], { sent: at }))
  const collect = (from: string, payload: string) => fetch(`${origin}/collect`, { method: 'POST', body: payload, headers: { 'content-type': 'text/plain', origin: from } })
  const answer = await collect(engine.shop.origin, body)
  t.equal(answer.status, 204)
  t.equal(answer.headers.get('access-control-allow-origin'), engine.shop.origin)
  t.equal(await countOf(engine.db, 'events'), 1)
  t.equal((await collect('https://evil.test', body)).status, 403)
  t.equal((await collect(engine.shop.origin, '{')).status, 400)
  t.equal((await collect(engine.shop.origin, 'x'.repeat(65 * 1024))).status, 413)
  t.equal(await countOf(engine.db, 'events'), 1)
})

t.test('the script is served as the engine has it, compressed and revalidated', async t => {
  const plain = await fetch(`${origin}/s/fern-and-kiln.demo-shop.test.js`, { headers: { 'accept-encoding': 'br' } })
  t.equal(plain.status, 200)
  t.match(plain.headers.get('cache-control'), 'max-age=60')
  t.match(await plain.text(), 'ran=config')
  t.equal((await fetch(`${origin}/s/fern-and-kiln.demo-shop.test.js`, { headers: { 'if-none-match': plain.headers.get('etag')! } })).status, 304)
  t.equal((await fetch(`${origin}/s/none.js`)).status, 404)
})

t.test('webhooks keep their bytes, so that their signature holds', async t => {
  // Spaced out as no serialiser would: read and written again, its signature would not hold.
  const body = JSON.stringify(order('order-1', visitorIn('x', 0, 'a'), engine.now.at.getTime(), '10.00'), null, 3)
  t.equal((await deliver(app, body)).statusCode, 200)
  t.equal((await deliver(app, body, { 'x-demo-hmac-sha256': 'AAAA' })).statusCode, 401)
  t.equal(await countOf(engine.db, 'orders'), 1)
})

t.test('a body of unknown length is cut off at the limit', async t => {
  const sending = request(`${origin}/collect`, { method: 'POST', headers: { 'content-type': 'text/plain' } })
  sending.on('error', () => {})
  const answering = once(sending, 'response') as Promise<[IncomingMessage]>
  for (let i = 0; i < 10; i++) sending.write('x'.repeat(10 * 1024))
  const [response] = await answering
  t.equal(response.statusCode, 413)
  t.match(await text(response), 'larger')
  sending.destroy()
})

t.test('the app\'s cookies do not reach it, and an engine that is gone is 502', async t => {
  const server = createServer((incoming, response) => response.end(JSON.stringify(incoming.headers)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const other = await buildApp({ config: appConfig({}), upstreamOrigin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  t.teardown(other.close)
  const seen = (await other.app.inject({ url: '/s/x.js', headers: { cookie: 'ts_a=secret', 'x-forwarded-for': '6.6.6.6' } })).json<Record<string, string>>()
  t.notOk(seen.cookie)
  t.notMatch(seen['x-forwarded-for'], '6.6.6.6')
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  t.match((await other.app.inject('/s/x.js')), { statusCode: 502 })
})
