import t from 'tap'
import { buildApp } from '../../../server/app.ts'
import { appConfig } from '../../../server/config.ts'
import { shopifyShop as shop } from '../../engine/support/shops/shopify-stage.ts'
import { startOnBoth } from '../../engine/support/shops/both-platforms.ts'
import { browserOf, textOf } from '../support/merchant.ts'

/** A merchant of a platform that has settings of consent, in the steps after the plan. */
const stage = await startOnBoth({ CHROMIUM_PATH: 'off' })
const app = await buildApp({
  config: appConfig({ APP_ORIGIN: 'http://localhost:3000' }),
  upstreamOrigin: stage.engineOrigin,
  clock: () => stage.now.at,
})
t.teardown(async () => {
  await app.close()
  await stage.close()
})
const face = stage.shop.shopify!
const { get, post } = browserOf(app)
const contact = async () => {
  const { statusCode, body } = await get('/welcome/contact')
  return { statusCode, text: textOf(body) }
}

t.before(async () => {
  await get(`/?id_token=${await face.idToken()}`)
  const { plan_id } = await stage.db.kysely
    .selectFrom('stores')
    .select('plan_id')
    .where('shop', '<>', shop)
    .executeTakeFirstOrThrow()
  await stage.db.kysely
    .updateTable('stores')
    .set({
      plan_id,
      has_subscribed: true,
      subscription_status: 'Active',
      onboarding_started_at: stage.now.at,
    })
    .where('shop', '=', shop)
    .execute()
  stage.now.at = new Date(stage.now.at.getTime() + 11_000)
})

t.test('the steps after the plan say what the shop’s consent settings mean', async t => {
  t.match((await contact()).text, /Your visitors’ consent .*name no country whose visitors/)
  face.settings.set({ consentBanner: true })
  t.match(
    (await contact()).text,
    /Visitors from France, Germany, Switzerland and United Kingdom must agree in your shop’s consent banner/,
  )
  face.settings.set({ consentBanner: false })
  t.match((await contact()).text, /your shop’s consent banner is off/)
  const { body } = await get('/settings/preferences')
  t.equal(textOf(body).includes('consent banner is off'), false, 'not open before the last step')
})

t.test('a permission that is missing, or a silent shop, is said and stops nothing', async t => {
  const { scopes } = face.settings.current()
  face.settings.set({ scopes: scopes.filter(scope => scope !== 'read_privacy_settings') })
  const without = await contact()
  t.equal(without.statusCode, 200)
  t.match(without.text, /consent settings could not be read\. .*approve its permissions/)
  face.settings.set({ scopes })
  face.faults.set([{ kind: '500', times: null, on: 'api' }])
  const broken = await contact()
  t.equal(broken.statusCode, 200)
  t.match(broken.text, /consent settings could not be read\./)
  t.equal((await post('/welcome/contact', { name: 'Fern and Kiln' })).statusCode, 303)
  face.faults.set([])
})

t.test('preferences say it beside the store’s own rule', async t => {
  await stage.db.kysely
    .updateTable('stores')
    .set({ onboarded: true, consent_rule: 'afterConsent' })
    .where('shop', '=', shop)
    .execute()
  stage.now.at = new Date(stage.now.at.getTime() + 11_000)
  const { statusCode, body } = await get('/settings/preferences')
  t.equal(statusCode, 200)
  t.match(textOf(body), /consent banner is off.*leaves out visitors who see no banner/)
})

t.test('a platform without such settings shows nothing', async t => {
  const browser = browserOf(app)
  await browser.get(`/?id_token=${await stage.idToken()}`)
  const text = textOf((await browser.get('/settings/preferences')).body)
  t.match(text, 'Who takes part in tests and is counted')
  t.notMatch(text, /consent banner is|name no country|could not be read/)
})
