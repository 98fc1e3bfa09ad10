import t from 'tap'
import { holdRequests } from '../support/shops/held-requests.ts'
import { startWithShop } from '../support/with-shop.ts'

const { shop, db, call, close } = await startWithShop()
t.teardown(close)
const { id: storeId } = await call('storeInfo', {})

t.test('a script that is being published follows what the shop’s pages offer since', async t => {
  const asked: string[] = []
  const putting = Promise.withResolvers<void>()
  const release = holdRequests(shop.app, ({ method, url }) => {
    if (url === '/admin/api/page_apis.json') asked.push('page APIs')
    if (method !== 'PUT' || url !== '/admin/api/script') return false
    putting.resolve()
    return true
  })
  const published = call('setConsentRule', {
    params: { id: storeId },
    body: { rule: 'afterConsent' },
  })
  await putting.promise
  t.same(asked, ['page APIs'])
  shop.pageApis.set({ cart: true })
  await shop.delivered()
  const row = () =>
    db.kysely
      .selectFrom('published_scripts')
      .select(['wanted', 'published'])
      .executeTakeFirstOrThrow()
  const { wanted, published: before } = await row()
  t.equal(wanted, before + 2, 'another publication is wanted')
  release()
  await published
  t.match(await row(), { wanted, published: wanted })
})
