import t from 'tap'
import { firstShop } from '../../support/small-shop.ts'
import { refusalOf, shopifyShop as shop, shopifyStage } from '../../support/shops/shopify-stage.ts'

t.test('a Shopify shop’s consent settings are read, and a platform without has none', async t => {
  const { platform, asDemo, face } = await shopifyStage(t)
  t.same(await platform.consent(shop), { hasBanner: false, countries: [] })
  face.settings.set({ consentBanner: true })
  t.same(await platform.consent(shop), { hasBanner: true, countries: ['CH', 'DE', 'FR', 'GB'] })
  face.settings.set({ consentBanner: false })
  t.same(await platform.consent(shop), { hasBanner: false, countries: ['CH', 'DE', 'FR', 'GB'] })
  t.equal(await asDemo.consent(firstShop), null)

  t.test('a missing permission is said', async t => {
    const { scopes } = face.settings.current()
    face.settings.set({ scopes: scopes.filter(scope => scope !== 'read_privacy_settings') })
    const refused = await refusalOf(platform.consent(shop))
    t.equal(refused?.status, 422)
    t.match(refused?.message, /approve its permissions/)
    face.settings.set({ scopes })
  })
})
