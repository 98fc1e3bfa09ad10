import t from 'tap'
import { paths } from '../../../domain/paths.ts'
import { logoPolicy, maxLogoBytes } from '../../../domain/stores/store-logo.ts'
import { startMerchant } from '../support/merchant.ts'

const merchant = await startMerchant()
t.teardown(merchant.close)
const { get, call, engine, app } = merchant
const { shop, db } = engine
const { id } = await call('storeInfo', {})
const asked = () => get(paths.storeLogo(id))
const png = Buffer.from('89504e470d0a1a0a', 'hex')

t.test('every page of the store shows its logo, also while only one page is open', async t => {
  for (const path of ['/', paths.settings()]) {
    const { body, headers } = await get(path)
    const bar = /<header class="topbar"[\s\S]*?<\/header>/.exec(body)![0]
    t.match(bar, `<img class="store-logo" src="${paths.storeLogo(id)}" alt`)
    t.match(headers['content-security-policy'], /img-src 'self' data:/)
  }
  const { body } = await get('/?shop=fern-and-kiln.demo-shop.test&host=aG9z')
  t.match(body, `src="${paths.storeLogo(id)}&amp;host=aG9z&amp;shop=fern-and-kiln.demo-shop.test"`)
  shop.logo = { type: 'image/png', body: png }
  await db.kysely.updateTable('stores').set({ subscription_status: 'Cancelled' }).execute()
  engine.now.at = new Date(engine.now.at.getTime() + 11_000)
  t.equal((await asked()).headers['content-type'], 'image/png')
})

t.test('a logo is kept by the browser and can do nothing when it is opened by itself', async t => {
  for (const type of ['image/png', 'image/svg+xml']) {
    shop.logo = { type, body: png }
    const { statusCode, headers, rawPayload } = await asked()
    t.equal(statusCode, 200)
    t.match(headers, {
      'content-type': type,
      'content-security-policy': logoPolicy,
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=3600',
    })
    t.same(rawPayload, png)
  }
  t.equal(
    (await get(paths.storeLogo('another-store'))).headers['cache-control'],
    'no-store',
    'under the address of another store it is not kept',
  )
})

t.test('in place of a logo that is missing or cannot be shown there are the initials', async t => {
  const expectInitials = async (why: string) => {
    const { statusCode, headers, body } = await asked()
    t.equal(statusCode, 200, why)
    t.match(headers, {
      'content-type': /^image\/svg\+xml/,
      'content-security-policy': logoPolicy,
      'cache-control': 'private, max-age=300',
    })
    t.match(body, />FK<\/text>/, why)
  }
  for (const [why, logo] of [
    ['none', null],
    ['a page', { type: 'text/html', body: Buffer.from('<script>alert(1)</script>') }],
    ['too large', { type: 'image/png', body: Buffer.alloc(maxLogoBytes + 1) }],
  ] as const) {
    shop.logo = logo
    await expectInitials(why)
  }
  shop.logo = { type: 'image/png', body: png }
  shop.isDown = true
  await expectInitials('the shop does not answer')
  shop.isDown = false
})

t.test('a browser without a session gets no picture', async t => {
  const { statusCode, body } = await app.app.inject({ url: paths.storeLogo(id) })
  t.same([statusCode, body], [401, ''])
})
