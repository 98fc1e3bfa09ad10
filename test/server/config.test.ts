import t from 'tap'
import { appConfig } from '../../server/config.ts'
import { productConfig } from '../../server/product-config.ts'

t.test('a key that is not set has its default; an empty one counts as not set', async t => {
  t.match(productConfig({ DEMO_DATA: '' }), {
    DEMO_SHOP: 'on',
    DEMO_DATA: 'on',
    LOG_LEVEL: 'warn',
  })
  t.equal(productConfig({ NODE_ENV: 'production' }).LOG_LEVEL, 'info')
  t.throws(() => productConfig({ DEMO_SHOP: 'perhaps' }), /DEMO_SHOP/)
  // Only the shop of the demo's own platform can be given a past.
  t.match(productConfig({ PLATFORMS: 'shopify' }), { DEMO_SHOP: 'on', DEMO_DATA: 'off' })
  t.match(productConfig({ PLATFORMS: 'demo,shopify' }), { DEMO_DATA: 'on' })
  t.throws(
    () => productConfig({ PLATFORMS: 'shopify', DEMO_DATA: 'on' }),
    /needs the platform 'demo'/,
  )
  t.match(appConfig({ PORT: '' }), { PORT: 3000, APP_ORIGIN: 'http://localhost:3000' })
  t.match(appConfig({ PORT: '4000' }), { PORT: 4000, APP_ORIGIN: 'http://localhost:4000' })
})
