import t from 'tap'
import { contract } from '../../../domain/api/contract.ts'
import type { Call } from '../../../domain/api/call.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import { demoPlatform } from '../../../engine/platform/demo/demo.ts'
import { composed } from '../../../engine/platform/platforms.ts'
import { refusal, type TestEngine } from '../support/engine.ts'
import { poorDelivery, poorPlatform, poorShop, poorToken } from '../support/poor-platform.ts'
import { appKey, appSecret, firstShop } from '../support/small-shop.ts'
import { webhook } from '../support/traffic.ts'
import { startWithShop } from '../support/with-shop.ts'

const two = () =>
  startWithShop({
    morePlatforms: ({ DEMO_SHOP_ORIGIN: shopOrigin }, tokens) => [
      poorPlatform(demoPlatform({ appKey, appSecret, shopOrigin }), tokens),
    ],
  })
const poorSignIn = async ({ call }: Pick<TestEngine, 'call'>) =>
  (await call('auth', { body: { idToken: await poorToken() } })).token
const withToken = (token: string) => ({ authorization: `Bearer ${token}` })

t.test('two platforms in one engine never mix', async t => {
  const shop = await two()
  t.teardown(shop.close)
  const { call, db, engine, token } = shop
  const poor = await poorSignIn(shop)

  t.test('a sign-in makes a store of the platform that signed the token', async t => {
    const stores = await db.kysely
      .selectFrom('stores')
      .select(['shop', 'platform'])
      .orderBy('shop')
      .execute()
    t.same(stores, [
      { shop: firstShop, platform: 'demo' },
      { shop: poorShop, platform: 'poor' },
    ])
    t.equal((await call('storeInfo', {}, poor))?.shop, poorShop)
    t.equal((await call('storeInfo', {}, token))?.shop, firstShop)
  })

  t.test('a platform signs in no shop of another one', async t => {
    const stranger = await poorToken(firstShop)
    t.equal((await refusal(call('auth', { body: { idToken: stranger } }))).status, 401)
  })

  t.test('a call under the other platform’s path is a 404', async t => {
    const calls = Object.values<Call>(contract).filter(({ path }) => path.includes('{platform}'))
    t.ok(calls.length > 5)
    for (const { method, path } of calls)
      for (const [own, other, bearer] of [
        ['demo', 'poor', token],
        ['poor', 'demo', poor],
      ] as const) {
        const ask = async (name: string) =>
          engine.app.inject({
            method,
            url: path.replace('{platform}', name).replace(/:\w+/g, 'x'),
            headers: withToken(bearer),
          })
        const answer = await ask(other)
        t.equal(answer.statusCode, 404, `${path} of ${own}`)
        t.equal(answer.json<{ message: string }>().message, 'This shop is on another platform.')
        t.not((await ask(own)).json<{ message?: string }>().message, answer.json())
      }
  })

  t.test('each platform’s deliveries arrive at its own address only', async t => {
    const at = new Date().toISOString()
    const ask = async (platform: string, request: ReturnType<typeof webhook>) =>
      (
        await engine.app.inject({
          method: 'POST',
          url: `/webhooks/${platform}/shop-update`,
          ...request,
        })
      ).statusCode
    const ofDemo = () => webhook('{}', { 'x-demo-topic': 'shop/update', 'x-demo-triggered-at': at })
    const ofPoor = (about = poorShop) =>
      poorDelivery({ topic: 'shop/update', shop: about, id: 'one', at })
    t.equal(await ask('demo', ofDemo()), 200)
    t.equal(await ask('poor', ofPoor()), 200)
    t.equal(await ask('poor', ofDemo()), 401)
    t.equal(await ask('demo', ofPoor()), 401)
    t.equal(await ask('poor', ofPoor(firstShop)), 401, 'a platform speaks of its own shops only')
  })
})

t.test('platforms are composed by name, and a store’s row names its own', async t => {
  const demo = demoPlatform({ appKey, appSecret, shopOrigin: 'http://localhost:3002' })
  t.teardown(() => demo.close())
  t.throws(() => composed([]), { message: 'The engine needs at least one platform.' })
  t.throws(() => composed([demo, demo]), { message: 'Two platforms have the same name.' })
  const both = composed([demo, poorPlatform(demo)])
  t.equal(both.platformOf({ platform: 'poor' }).name, 'poor')
  t.throws(() => both.platformOf({ platform: 'gone' }), /switched off here/)
  t.equal(both.nameFor(firstShop), 'demo')
  t.equal(both.nameFor(poorShop), 'poor')
  t.equal(both.nameFor('example.com'), null)
  await t.rejects(
    both.shops.shop('example.com'),
    new HttpProblem(503, 'The platform of this shop is switched off here.'),
  )
})
