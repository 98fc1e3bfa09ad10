import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { runShoppers } from '../../../demo-shop/shoppers/run.ts'
import { nothingDeployed } from '../../../demo-shop/shopify-web/deployed.ts'
import { embedBlock } from '../../../demo-shop/shopify-web/embed/theme-extension.ts'
import { shopifyShop as shop } from '../../engine/support/shops/shopify-stage.ts'
import { appSecret } from '../../engine/support/small-shop.ts'
import { startOnBoth } from '../../engine/support/shops/both-platforms.ts'

const liquid = readFileSync('shopify/extensions/twinshelf-embed/blocks/twinshelf.liquid', 'utf8')
const theme = {
  handle: 'twinshelf-embed',
  uid: '1b2c3d4e-0000-4000-8000-000000000001',
  blocks: [embedBlock('twinshelf', liquid)],
  assets: new Map(),
}

t.test('simulated shoppers visit a shop of Shopify as browsers do, and are counted', async t => {
  // They live by the real time.
  const clock = () => new Date()
  const stage = await startOnBoth(
    { CHROMIUM_PATH: 'off', TRUST_PROXY: 'loopback' },
    { clock, shopify: { deployed: { ...nothingDeployed, theme } } },
    { clock },
  )
  t.teardown(stage.close)
  const { call, db, engine, shopOrigin } = stage
  const shoppers = (options: { visitors: number; test: string; span?: { from: Date; to: Date } }) =>
    runShoppers({ shopOrigin, appSecret, lift: 0.3, seed: t.name, ...options })
  const idToken = await stage.shop.shopify!.idToken()
  const { token } = await call('auth', { body: { idToken } })
  await db.kysely
    .updateTable('stores')
    .set({
      feature_flags: '["UrlRedirectTests"]',
      plan_id: 'grandfathered',
      subscription_status: 'Active',
      has_subscribed: true,
    })
    .where('shop', '=', shop)
    .execute()
  await stage.shop.web!.switches.set('160001', 'twinshelf', true)
  const { id } = await call(
    'createDraft',
    {
      body: {
        kind: 'UrlRedirect',
        title: 'Which guide',
        controlUrl: '/pages/gift-guide',
        redirectUrl: '/pages/gift-guide-2026',
      },
    },
    token,
  )
  const { testId } = await call('launchDraft', { params: { id } }, token)
  while (!(await (await fetch(shopOrigin)).text()).includes(testId)) await setTimeout(50)

  const deeds = await shoppers({ visitors: 100, test: testId })
  const { arms } = deeds.tests.find(test => test.id === testId)!
  t.ok(
    arms.every(arm => arm.exposed > 5),
    'visitors saw both arms',
  )
  await stage.shop.delivered()
  await engine.rollUp()
  const { summary } = await call('test', { params: { id: testId } }, token)
  t.same(
    summary.visitors,
    arms.map(arm => arm.exposed),
  )
  t.same(
    summary.ledger.arms.map(arm => [arm.orders, arm.amount]),
    arms.map(arm => [arm.orders, arm.revenue]),
  )
  const now = Date.now()
  await t.rejects(
    shoppers({
      visitors: 1,
      test: testId,
      span: { from: new Date(now - 86_400_000), to: new Date(now) },
    }),
    /Shoppers of the past/,
  )
})
