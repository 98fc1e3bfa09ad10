import t from 'tap'
import { engineConfig } from '../../../engine/config.ts'
import { buildApp } from '../../../server/app.ts'
import { appConfig } from '../../../server/config.ts'
import { startEngine } from '../../engine/support/engine.ts'
import { logInto } from '../../engine/support/staff-office.ts'
import { beacon, event } from '../../engine/support/traffic.ts'

const log = { text: '' }
const production = { NODE_ENV: 'production' }
const { engine, shop, now, close } = await startEngine(
  { log: logInto(log) },
  {
    TRUST_PROXY: 'loopback',
    CLIENT_IP_HEADER: 'fly-client-ip',
    ...production,
    COLLECT_PER_ADDRESS: '1',
    AUTH_PER_ADDRESS: '2',
  },
)
t.teardown(close)
const upstreamOrigin = await engine.app.listen({ port: 0, host: '127.0.0.1' })

async function appBehind(proxy?: string, header?: string) {
  const { app, close } = await buildApp({
    config: appConfig({
      TRUST_PROXY: proxy,
      CLIENT_IP_HEADER: header,
    }),
    upstreamOrigin,
  })
  t.teardown(close)
  const as = (shopper: string) => ({ 'x-forwarded-for': shopper, 'user-agent': 'Mozilla/5.0' })
  const collect = async (
    shopper: string,
    over: { headers?: Record<string, string>; remoteAddress?: string } = {},
  ) => {
    const at = now.at.getTime(),
      body = beacon(`visitor-${shopper.replaceAll('.', '-')}`, {}, [event('view', at)], {
        sent: at,
      })
    return (
      await app.inject({
        method: 'POST',
        url: '/collect',
        ...over,
        headers: {
          'content-type': 'text/plain',
          origin: shop.origin,
          ...as(shopper),
          ...over.headers,
        },
        payload: JSON.stringify(body),
      })
    ).statusCode
  }
  const signIn = async (merchant: string) =>
    (
      await app.inject({
        url: `/?shop=fern-and-kiln.demo-shop.test&id_token=${await shop.idToken()}`,
        headers: as(merchant),
      })
    ).statusCode
  return { collect, signIn }
}

t.test(
  'behind a trusted proxy the collector and the sign-in distinguish clients through the app',
  async t => {
    const { collect, signIn } = await appBehind('loopback')
    t.equal(await collect('203.0.113.1'), 204)
    t.equal(await collect('203.0.113.1'), 429)
    t.equal(await collect('203.0.113.2'), 204)
    for (const expected of [302, 302, 429]) t.equal(await signIn('203.0.113.1'), expected)
    t.equal(await signIn('203.0.113.2'), 302)
  },
)

t.test('without a trusted proxy an address in a client’s header is ignored', async t => {
  const { collect } = await appBehind()
  t.equal(await collect('203.0.113.3'), 204, 'the request counts for the address of its connection')
  t.equal(await collect('203.0.113.4'), 429)
})

t.test(
  'the edge’s header is trusted from the proxy’s networks and from no other address',
  async t => {
    const { collect } = await appBehind('loopback', 'fly-client-ip')
    const edge = (address: string) => ({ headers: { 'fly-client-ip': address } })
    t.equal(await collect('203.0.113.9', edge('198.51.100.1')), 204)
    t.equal(await collect('203.0.113.10', edge('198.51.100.1')), 429, 'X-Forwarded-For is ignored')
    t.equal(await collect('203.0.113.10', edge('2001:db8::1')), 204)
    t.equal(await collect('203.0.113.11', edge('2001:db8::1')), 429)
    for (const text of ['nobody', '198.51.100.2, 198.51.100.3', '', '198.51.100', '[::1]']) {
      const proxied = `203.0.113.${20 + text.length}`
      t.equal(await collect(proxied, edge(text)), 204, `"${text}" is no address and is ignored`)
      t.equal(await collect(proxied, edge(`${text}x`)), 429)
    }
    const stranger = (address: string) => ({ remoteAddress: '192.0.2.77', ...edge(address) })
    t.equal(await collect('203.0.113.12', stranger('198.51.100.4')), 204)
    t.equal(
      await collect('203.0.113.13', stranger('198.51.100.5')),
      429,
      'a client without the proxy counts for the address of its connection',
    )
    for (const read of [appConfig, engineConfig])
      t.throws(() => read({ CLIENT_IP_HEADER: 'fly-client-ip' }), /TRUST_PROXY/)
  },
)

t.test(
  'in production a warning is given when the first 100 beacons have one address, until another one comes',
  async t => {
    const watched = { text: '' }
    const started = await startEngine(
      { log: logInto(watched) },
      { ...production, TRUST_PROXY: 'loopback' },
    )
    t.teardown(started.close)
    await started.engine.app.ready()
    const send = (address: string) =>
      started.engine.app.inject({
        method: 'POST',
        url: '/collect',
        headers: { 'x-forwarded-for': address },
        payload: '{',
      })
    const told = async () =>
      /^twinshelf_collector_one_address (\d)$/m.exec(await started.engine.metrics())?.[1]
    for (let i = 0; i < 99; i++) await send('203.0.113.1')
    t.equal(await told(), '0')
    t.notMatch(watched.text, 'CLIENT_IP_HEADER')
    await send('203.0.113.1')
    t.equal(await told(), '1')
    t.equal(watched.text.split('CLIENT_IP_HEADER').length, 2, 'the log has it once')
    await send('203.0.113.1')
    await send('203.0.113.2')
    t.equal(await told(), '0')
    t.equal(watched.text.split('CLIENT_IP_HEADER').length, 2)
  },
)
