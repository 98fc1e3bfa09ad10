import t from 'tap'
import { buildApp } from '../../server/app.ts'
import { appConfig } from '../../server/config.ts'
import { startEngine } from '../engine/engine.ts'
import { beacon, event } from '../engine/traffic.ts'

const { engine, shop, now, close } = await startEngine({}, { TRUST_PROXY: 'loopback', COLLECT_PER_ADDRESS: '1', AUTH_PER_ADDRESS: '2' })
t.teardown(close)
const upstreamOrigin = await engine.app.listen({ port: 0, host: '127.0.0.1' })

async function appBehind(proxy?: string) {
  const { app, close } = await buildApp({ config: appConfig({ DEMO_SHOP_ORIGIN: shop.origin, TRUST_PROXY: proxy }), upstreamOrigin })
  t.teardown(close)
  const as = (shopper: string) => ({ 'x-forwarded-for': shopper, 'user-agent': 'Mozilla/5.0' })
  const collect = async (shopper: string) => {
    const at = now.at.getTime(), body = beacon(`visitor-${shopper.replaceAll('.', '-')}`, {}, [event('view', at)], { sent: at })
    return (await app.inject({ method: 'POST', url: '/collect', headers: { 'content-type': 'text/plain', ...as(shopper) }, payload: JSON.stringify(body) })).statusCode
  }
  const signIn = async (merchant: string) => (await app.inject({ url: `/?shop=fern-and-kiln.demo-shop.test&id_token=${await shop.idToken()}`, headers: as(merchant) })).statusCode
  return { collect, signIn }
}

t.test('behind a trusted proxy the collector and sign-in tell clients apart, through the app', async t => {
  const { collect, signIn } = await appBehind('loopback')
  t.equal(await collect('203.0.113.1'), 204)
  t.equal(await collect('203.0.113.1'), 429)
  t.equal(await collect('203.0.113.2'), 204)
  for (const expected of [302, 302, 429]) t.equal(await signIn('203.0.113.1'), expected)
  t.equal(await signIn('203.0.113.2'), 302)
})

t.test('without one, an address that a client writes itself means nothing', async t => {
  const { collect } = await appBehind()
  t.equal(await collect('203.0.113.3'), 204, 'counted for the address it came from')
  t.equal(await collect('203.0.113.4'), 429)
})
