import t from 'tap'
import type { Platform } from '../../../engine/platform/adapter.ts'
import { type Refused, refusal } from '../support/engine.ts'
import { seedStore } from '../support/seeds.ts'
import { firstShop, secondShop } from '../support/small-shop.ts'
import { startWithShop } from '../support/with-shop.ts'

/** By plan: the shop's answer waits until the test ends this. */
const held = new Map<string, PromiseWithResolvers<void>>()
const begun = new Map<string, PromiseWithResolvers<void>>()
/** A reading of the shop's subscriptions: it is there, and waits until the test ends it. */
let reading: { isThere: PromiseWithResolvers<void>; end: PromiseWithResolvers<void> } | null = null
const wrapPlatform = (platform: Platform): Platform =>
  new Proxy(platform, {
    get: (own, name: keyof Platform) => {
      if (name === 'subscriptions') {
        const read: Platform['subscriptions'] = async shop => {
          const all = await own.subscriptions(shop),
            held = reading
          reading = null
          held?.isThere.resolve()
          await held?.end.promise
          return all
        }
        return read
      }
      if (name !== 'createSubscription') return own[name]
      // The demo platform has one shop, which answers for the second store too.
      const create: Platform['createSubscription'] = async (_, request) => {
        begun.get(request.planId)?.resolve()
        await held.get(request.planId)?.promise
        return own.createSubscription(firstShop, request)
      }
      return create
    },
  })
const { db, now, shop, shopOrigin, call, idToken, close } = await startWithShop(
  { wrapPlatform },
  {},
  { startsSubscribed: false },
)
t.teardown(close)
const day = 86_400_000
const { id: storeId } = await call('storeInfo', {})
const secondStore = await seedStore(db, { shop: secondShop })
const second = (
  await call('auth', {
    body: {
      idToken: await idToken({ iss: `https://${secondShop}`, dest: `https://${secondShop}` }),
    },
  })
).token
const code = (name: string, maxStores: number | null) =>
  db.kysely
    .insertInto('discount_codes')
    .values({
      code: name,
      value_type: 0,
      value: 20,
      plan_id: null,
      expires_at: null,
      max_stores: maxStores,
      created_at: now.at,
    })
    .execute()
const plans = ['core-50k-monthly', 'core-100k-monthly'] as const
const subscribe = async (id: string, discountCode?: string, token?: string) =>
  (
    await call(
      'subscribe',
      { params: { id }, query: { ...(discountCode && { discountCode }) } },
      token,
    )
  ).confirmationUrl
const isValid = async (name: string, token?: string) =>
  (await call('checkDiscount', { params: { code: name } }, token)).isValid
/** The answer, or the status of the refusal. */
const outcome = (asked: Promise<string>) =>
  asked.then(
    () => 200,
    (error: Refused) => error.status,
  )

t.test('two plans asked for in the same millisecond keep their own addresses', async t => {
  for (const plan of plans) {
    held.set(plan, Promise.withResolvers())
    begun.set(plan, Promise.withResolvers())
  }
  const first = subscribe(plans[0])
  await begun.get(plans[0])!.promise
  const other = subscribe(plans[1])
  await begun.get(plans[1])!.promise
  held.get(plans[0])!.resolve()
  const url = await first
  const { confirmation_url } = await db.kysely
    .selectFrom('subscription_asks')
    .select('confirmation_url')
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  t.equal(confirmation_url, null, 'the latest ask has no answer yet')
  held.get(plans[1])!.resolve()
  const second = await other
  t.not(second, url)
  t.equal(await subscribe(plans[1]), second, 'a repeated ask gets the answer to the same ask')
  held.clear()
})

t.test('a reading of the shop that is older than an ask does not take its plan away', async t => {
  const third = 'core-250k-monthly',
    declined = await subscribe(plans[0])
  const held = (reading = { isThere: Promise.withResolvers(), end: Promise.withResolvers() })
  await shop.app.inject({ method: 'POST', url: `${declined.slice(shopOrigin.length)}/decline` })
  await held.isThere.promise
  const url = await subscribe(third)
  held.end.resolve()
  await shop.delivered()
  t.match(await call('storeStatus', {}), { pendingPlan: third })
  t.equal(await subscribe(third), url, 'the ask keeps its address')
  const { status } = await db.kysely
    .selectFrom('subscriptions')
    .select('status')
    .where('store_id', '=', storeId)
    .where('plan_id', '=', plans[0])
    .orderBy('created_at', 'desc')
    .orderBy('status')
    .executeTakeFirstOrThrow()
  t.equal(status, 'Declined', 'what was read is not lost')
})

t.test('stores that ask with a code at once do not exceed its limit', async t => {
  await code('SINGLE', 1)
  t.ok((await isValid('SINGLE')) && (await isValid('SINGLE', second)))
  // Both were checked before either asks the shop.
  held.set(plans[0], Promise.withResolvers())
  const asked = [subscribe(plans[0], 'SINGLE'), subscribe(plans[0], 'SINGLE', second)]
  const one = await Promise.race(asked.map(outcome))
  t.equal(one, 400, 'the later one is refused while the shop has not answered the first')
  held.get(plans[0])!.resolve()
  t.same((await Promise.all(asked.map(outcome))).sort(), [200, 400])
  held.clear()
})

t.test('an ask keeps its place of a code for two days, for its own store too', async t => {
  await code('PAIR', 2)
  const url = await subscribe(plans[0], 'PAIR')
  t.ok(await isValid('PAIR', second), 'there is another place')
  await db.kysely
    .updateTable('discount_codes')
    .set({ max_stores: 1 })
    .where('code', '=', 'PAIR')
    .execute()
  t.notOk(await isValid('PAIR', second))
  t.match(await refusal(subscribe(plans[0], 'PAIR', second)), {
    status: 400,
    problem: { fields: [{ field: 'discountCode', message: 'This code is not valid.' }] },
  })
  t.ok(await isValid('PAIR'))
  t.equal(await subscribe(plans[0], 'PAIR'), url)
  await subscribe(plans[1])
  t.notOk(await isValid('PAIR', second), 'the earlier ask can still be approved')
  now.at = new Date(now.at.getTime() + 2 * day)
  const later = (
    await call('auth', {
      body: {
        idToken: await idToken({ iss: `https://${secondShop}`, dest: `https://${secondShop}` }),
      },
    })
  ).token
  t.ok(await isValid('PAIR', later), 'an ask that nobody approved gives its place back')
  await db.kysely
    .updateTable('subscriptions')
    .set({ status: 'Declined' })
    .where('store_id', '=', storeId)
    .execute()
  await subscribe(plans[0], 'PAIR', later)
  t.notOk(await isValid('PAIR'))
  await db.kysely
    .updateTable('subscriptions')
    .set({ status: 'Declined' })
    .where('store_id', '=', secondStore)
    .execute()
  t.ok(await isValid('PAIR'), 'so does one that the merchant declined')
})
