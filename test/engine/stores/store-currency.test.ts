import t from 'tap'
import { formatMoney } from '../../../domain/money.ts'
import { demoPlatform } from '../../../engine/platform/demo/demo.ts'
import { like } from '../support/like.ts'
import { startEngine } from '../support/engine.ts'
import { appKey, appSecret, firstShop, smallShop } from '../support/small-shop.ts'

t.test('a shop whose platform names no currency has USD, everywhere', async t => {
  const shop = await smallShop()
  const platform = demoPlatform({ appKey, appSecret, shopOrigin: shop.origin })
  t.teardown(async () => {
    await platform.close()
    await shop.close()
  })
  for (const [said, meant] of [
    [undefined, 'USD'],
    [null, 'USD'],
    ['EUR', 'EUR'],
  ] as const) {
    shop.currency = said
    t.equal((await platform.shop(firstShop)).currency, meant, String(said))
  }
  for (const nonsense of ['', 'euro', '$']) {
    shop.currency = nonsense
    await t.rejects(platform.shop(firstShop), like({ status: 502 }))
  }
  t.equal(formatMoney(7_450), '$74.50')
})

t.test('it is stored at the sign-in, and follows when the shop names one', async t => {
  const { shop, db, call, close } = await startEngine()
  t.teardown(close)
  const signIn = async () => call('auth', { body: { idToken: await shop.idToken() } })
  const uninstall = () =>
    db.kysely.updateTable('stores').set({ status: 'uninstalled', currency: 'JPY' }).execute()
  shop.currency = null
  await uninstall()
  const { token } = await signIn()
  t.equal((await call('storeInfo', {}, token)).currency, 'USD')
  shop.currency = 'EUR'
  await uninstall()
  const { token: later } = await signIn()
  t.equal((await call('storeInfo', {}, later)).currency, 'EUR')
})
