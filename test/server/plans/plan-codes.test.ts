import t from 'tap'
import { textOf } from '../support/merchant.ts'
import { newStore, startShopMerchant } from '../support/shop-merchant.ts'

// In the long run the store has 24 tries, and one at a time.
const { db, get, post, put, close } = await startShopMerchant(
  {},
  { DISCOUNT_GUESSES_PER_STORE: '1' },
)
t.teardown(close)
await db.kysely
  .insertInto('discount_codes')
  .values({
    code: 'ALL50',
    value_type: 1,
    value: 50,
    plan_id: null,
    expires_at: null,
    max_stores: null,
    created_at: new Date(),
  })
  .execute()
await put(newStore)
const select = '/overlay/selectplan'
const applied = 'Discount for $50 off all plans applied'

t.test('after wrong codes a page still shows the discount of a valid one', async t => {
  for (const code of ['NOSUCH', 'OTHER', 'nosuch'])
    t.notMatch(textOf((await get(`${select}?code=${code}`)).body), 'iscount')
  t.match(textOf((await get(`${select}?code=ALL50`)).body), applied)
})

t.test('beyond the limit no page mentions it, and no plan is asked for', async t => {
  // Ten at once: sixty at once take longer than the app waits for an answer on a busy machine.
  const pages = []
  for (let first = 0; first < 60; first += 10)
    pages.push(
      ...(await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          post(select, { plan: 'core-100k-monthly', discountCode: `GUESS-${first + n}` }),
        ),
      )),
    )
  const unchecked = pages.filter(({ body }) => /could not check the discount code/.test(body))
  t.ok(unchecked.length >= 30, `${unchecked.length} codes were not checked`)
  for (const { statusCode, body } of pages) {
    t.equal(statusCode, 422)
    t.match(textOf(body), /we did not change your plan/)
    t.notMatch(textOf(body), /too many|limit reached|were tried|an hour|not be checked/i)
  }
  t.same(await db.kysely.selectFrom('subscriptions').selectAll().execute(), [])
  const page = await get(`${select}?code=ONE-MORE`)
  t.equal(page.statusCode, 200)
  t.notMatch(textOf(page.body), /discount|too many|were tried|an hour/i)
  t.match(textOf((await get(`${select}?code=ALL50`)).body), applied, 'known codes still work')
})
