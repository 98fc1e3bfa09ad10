import t from 'tap'
import { demoPlatform } from '../../../engine/platform/demo/demo.ts'
import { refusal } from '../support/engine.ts'
import { seedEvents } from '../support/page-views.ts'
import { poorPlatform, poorShop, poorToken } from '../support/poor-platform.ts'
import { appKey, appSecret, firstShop } from '../support/small-shop.ts'
import { startWithShop } from '../support/with-shop.ts'

/** The shops whose installation the poor platform was told to end. */
const ended: string[] = []
const stage = await startWithShop({
  morePlatforms: ({ DEMO_SHOP_ORIGIN: shopOrigin }) => [
    {
      ...poorPlatform(demoPlatform({ appKey, appSecret, shopOrigin })),
      uninstall: async shop => void ended.push(shop),
    },
  ],
})
t.teardown(stage.close)
const { call, db, engine, shopOrigin, token: demo } = stage
const { token: poor } = await call('auth', { body: { idToken: await poorToken() } })
const idOf = async (token: string) => (await call('storeInfo', {}, token)).id
const [demoStore, poorStore] = [await idOf(demo), await idOf(poor)]

t.test('each store is told the addresses of its own platform', async t => {
  t.match(await call('storeAddresses', {}, demo), {
    admin: `${shopOrigin}/admin`,
    frameAncestors: [shopOrigin],
    scripts: [],
    images: [shopOrigin],
  })
  t.match(await call('storeAddresses', {}, poor), {
    admin: 'https://admin.poor-platform.test/store/fern-and-kiln/home',
    session: null,
    frameAncestors: [`https://${poorShop}`, 'https://admin.poor-platform.test'],
    scripts: ['https://cdn.poor-platform.test'],
    images: [shopOrigin, 'https://cdn.poor-platform.test'],
    frames: [shopOrigin],
  })
  const [theirs, ours] = [await call('themes', {}, poor), await call('themes', {}, demo)]
  t.ok(theirs.length > 0)
  t.ok(theirs.every(({ adminUrl }) => adminUrl.startsWith('https://admin.poor-platform.test/')))
  t.ok(ours.every(({ adminUrl }) => adminUrl.startsWith(`${shopOrigin}/admin/themes/`)))
})

t.test('a shop’s own origin comes into the policy only as an origin', async t => {
  const put = (origin: string) =>
    db.kysely.updateTable('stores').set({ origin }).where('store_id', '=', poorStore).execute()
  const frames = async () => (await call('storeAddresses', {}, poor)).frames
  await put('https://shop.example:8443/path?a=b')
  t.same(await frames(), ['https://shop.example:8443'])
  for (const origin of [
    'https://shop.example; script-src *',
    'https://*.example',
    '*',
    'javascript:alert(1)',
    'data:text/html,x',
    "https://shop.example 'unsafe-inline'",
    '',
  ]) {
    await put(origin)
    t.same(
      (await frames()).filter(each => !/^https:\/\/[a-z.]+$/.test(each)),
      [],
      origin,
    )
  }
  await put(shopOrigin)
})

t.test('before a sign-in, addresses follow from the platform that may host the name', async t => {
  const of = (shop?: string) => call('addresses', { query: { ...(shop && { shop }) } })
  t.match((await of(firstShop)).shop, { frameAncestors: [shopOrigin] })
  t.match((await of('never-seen.poor-shop.test')).shop, {
    app: 'https://admin.poor-platform.test/store/never-seen/apps/twinshelf',
  })
  t.same(
    (await of()).entrances.map(({ label }) => label),
    ['Demo shop', 'Poor platform'],
  )
  for (const name of [
    'evil.example',
    `${firstShop}\n`,
    `a;b.poor-shop.test`,
    `${poorShop}.evil.test`,
  ])
    t.equal((await of(name)).shop, null, name)
  const long = await engine.app.inject(`/api/v0/addresses?shop=${'a'.repeat(301)}`)
  t.equal(long.statusCode, 400)
})

t.test('simulated shoppers of one platform do not visit shops of another', async t => {
  const visit = (shop: string) => seedEvents(engine, shop, stage.now.at, [['one', '/']])
  await visit(firstShop)
  await t.rejects(visit(poorShop), { message: 'The collector answered 401.' })
})

t.test(
  'a job belongs to the store of one platform, and ends only its own installation',
  async t => {
    const { jobId } = await call(
      'uninstall',
      { params: { id: poorStore }, body: { category: 'other', reason: 'The matrix' } as never },
      poor,
    )
    t.equal((await refusal(call('storeJob', { params: { id: jobId } }, demo))).status, 404)
    t.equal(
      (
        await refusal(
          call(
            'uninstall',
            { params: { id: poorStore }, body: { category: 'other', reason: '' } as never },
            demo,
          ),
        )
      ).status,
      404,
    )
    await engine.runJobs()
    t.same(ended, [poorShop])
    t.match(
      await db.kysely.selectFrom('stores').select(['shop', 'status']).orderBy('shop').execute(),
      [
        { shop: firstShop, status: 'installed' },
        { shop: poorShop, status: 'uninstalled' },
      ],
    )
    t.equal(await idOf(demo), demoStore, 'the other platform’s session stays')
  },
)
