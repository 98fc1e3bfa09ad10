import { sql } from 'kysely'
import t from 'tap'
import { contract } from '../../../domain/api/contract.ts'
import { quotas } from '../../../domain/quota.ts'
import { priceText, priceChangeAlerts } from '../../../domain/plans/plan-price.ts'
import { refusal } from '../support/engine.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { appSecret, firstShop } from '../support/small-shop.ts'
import { webhook } from '../support/traffic.ts'
import { startWithShop } from '../support/with-shop.ts'

const { engine, shop, shopOrigin, db, now, call, idToken, platform, close } = await startWithShop(
  {},
  {},
  { startsSubscribed: false },
)
t.teardown(close)
const day = 86_400_000
let token = (await call('auth', { body: { idToken: await idToken() } })).token
const { id: storeId } = await call('storeInfo', {})
// The demo shop is set up from the start. This test resets it to a new store.
await db.kysely
  .updateTable('stores')
  .set({
    onboarded: false,
    has_subscribed: false,
    plan_id: null,
    subscription_status: null,
    current_subscription_end: null,
    next_bill: null,
    usage_reset: null,
  })
  .execute()

const info = () => call('storeInfo', {}, token)
const status = () => call('storeStatus', {}, token)
const post = (path: string) => shop.app.inject({ method: 'POST', url: path })
const subscribe = async (id: string, discountCode?: string) =>
  (
    await call(
      'subscribe',
      { params: { id }, query: { ...(discountCode && { discountCode }) } },
      token,
    )
  ).confirmationUrl
/**
 * Approves or declines at the confirmation URL, as the merchant does, and waits for the platform's
 * webhooks.
 */
const answer = async (url: string, choice: 'approve' | 'decline') => {
  const response = await post(`${url.slice(shopOrigin.length)}/${choice}`)
  t.equal(response.statusCode, 303)
  await shop.delivered()
  return response
}
const change = async (choice: 'freeze' | 'unfreeze' | 'cancel') => {
  const { subscription_id: id } = await db.kysely
    .selectFrom('stores')
    .select('subscription_id')
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  t.equal((await post(`/admin/billing/${id}/${choice}`)).statusCode, 303)
  await shop.delivered()
}
/** Moves the clock of shop and engine, and signs the merchant in again. */
const pass = async (days: number) => {
  now.at = new Date(now.at.getTime() + days * day)
  token = (await call('auth', { body: { idToken: await idToken() } })).token
}

t.test('every plan is listed with its flag, also those that the price alert names', async t => {
  const plans = await call('plans', {}, token)
  t.ok(plans.some(plan => plan.available) && plans.some(plan => !plan.available))
  for (const [old, { planId, price }] of Object.entries(priceChangeAlerts)) {
    const [before, after] = [old, planId].map(id => plans.find(plan => plan.id === id)!)
    t.equal(before!.available, false)
    t.equal(priceText(after!), `$${price}`)
    t.ok(after!.price < before!.price, 'the cheaper plan')
    t.same(
      [after!.level, after!.limit, after!.isAnnual],
      [before!.level, before!.limit, before!.isAnnual],
    )
  }
})

t.test('a plan that a store cannot choose is refused with a message', async t => {
  t.equal((await refusal(subscribe('no-such-plan'))).status, 404)
  t.match(await refusal(subscribe('grandfathered')), { status: 409, message: /not offered/ })
  t.match(await refusal(subscribe('pro-100k-monthly')), {
    status: 409,
    message: /agreed in person/,
  })
  t.match(await refusal(subscribe('core-50k-monthly', 'NOTHING')), {
    status: 400,
    problem: { fields: [{ field: 'discountCode' }] },
  })
  t.equal((await status()).pendingPlan, null)
})

t.test('after a declined or expired request the store can ask again', async t => {
  const url = await subscribe('core-50k-monthly')
  t.match(await status(), { pendingPlan: 'core-50k-monthly', subscriptionStatus: 'Pending' })
  t.equal((await answer(url, 'decline')).headers.location, '/admin/apps/twinshelf')
  t.match(await status(), { pendingPlan: null, subscriptionStatus: 'Declined' })
  const second = await subscribe('core-50k-monthly')
  t.not(second, url)
  t.equal(
    (await post(`${url.slice(shopOrigin.length)}/approve`)).statusCode,
    409,
    'a declined request cannot be approved',
  )
  await pass(2)
  t.equal(
    (await post(`${second.slice(shopOrigin.length)}/approve`)).statusCode,
    409,
    'a request without approval expires after two days',
  )
  await shop.delivered()
  t.match(await status(), { pendingPlan: null, subscriptionStatus: 'Expired' })
  t.match(await info(), { planId: null, hasSubscribed: false })
})

t.test('a double submit makes one subscription; approving it begins the trial', async t => {
  const urls = await Promise.all(
    Array.from({ length: 4 }, () => subscribe('advanced-100k-monthly')),
  )
  t.equal(new Set(urls).size, 1)
  const page = (await shop.app.inject(urls[0]!.slice(shopOrigin.length))).body
  for (const words of ['Advanced 100k', '$199.00', '14 days', 'Approve', 'Decline'])
    t.match(page, words)
  await answer(urls[0]!, 'approve')
  t.match(await info(), { planId: 'advanced-100k-monthly', trial: true, hasSubscribed: true })
  const trialEnd = new Date(now.at.getTime() + 14 * day).toISOString()
  t.match(await status(), {
    subscriptionStatus: 'Active',
    pendingPlan: null,
    trialEnd,
    nextBill: trialEnd,
    usageReset: trialEnd,
    currentSubscriptionEnd: trialEnd,
    sessionLimit: 100_000,
  })
  t.match(await refusal(subscribe('advanced-100k-monthly')), {
    status: 409,
    message: /on this plan/,
  })
  t.equal(
    (await post(`${urls[0]!.slice(shopOrigin.length)}/approve`)).statusCode,
    303,
    'a second approval changes nothing',
  )
})

t.test('staff can extend a running trial, and the reset of usage moves with it', async t => {
  const before = await status()
  const [active] = await platform.subscriptions(firstShop)
  await platform.extendTrial(firstShop, active!.id, 3)
  await shop.delivered()
  const trialEnd = new Date(Date.parse(before.trialEnd!) + 3 * day).toISOString()
  t.match(await status(), { trialEnd, usageReset: trialEnd, nextBill: trialEnd })
})

t.test('when the trial ends, the trial badge ends too, without a webhook', async t => {
  const { trialEnd } = await status()
  now.at = new Date(Date.parse(trialEnd!) - 1)
  token = (await call('auth', { body: { idToken: await idToken() } })).token
  t.equal((await info()).trial, true)
  now.at = new Date(trialEnd!)
  t.equal((await info()).trial, false)
  const billedNext = new Date(now.at.getTime() + 30 * day).toISOString()
  t.match(await status(), { trialEnd, usageReset: billedNext, nextBill: billedNext })
})

t.test(
  'an upgrade starts at once with its discount; a code for another plan is not applied',
  async t => {
    await db.kysely
      .insertInto('discount_codes')
      .values([
        {
          code: 'KILN20',
          value_type: 0,
          value: 20,
          plan_id: 'advanced-250k-monthly',
          expires_at: null,
          max_stores: 5,
          created_at: now.at,
        },
      ])
      .execute()
    const other = (
      await shop.app.inject(
        (await subscribe('advanced-500k-monthly', 'kiln20')).slice(shopOrigin.length),
      )
    ).body
    t.match(other, '$599.00')
    t.notMatch(other, 'Discount')
    const url = await subscribe('advanced-250k-monthly', ' kiln20')
    t.match(
      (await shop.app.inject(url.slice(shopOrigin.length))).body,
      /Discount of 20%.*\$71\.80.*None.*\$287\.20/s,
      'and no second trial',
    )
    const { usageReset } = await status()
    await answer(url, 'approve')
    t.match(await info(), { planId: 'advanced-250k-monthly', trial: false })
    t.match(await status(), {
      subscriptionStatus: 'Active',
      pendingPlan: null,
      sessionLimit: 250_000,
      usageReset,
    })
  },
)

t.test(
  'a downgrade waits for the next billing cycle, with the present plan until then',
  async t => {
    const { nextBill } = await status()
    await answer(await subscribe('core-50k-monthly'), 'approve')
    t.match(await status(), {
      pendingPlan: 'core-50k-monthly',
      subscriptionStatus: 'Active',
      sessionLimit: 250_000,
    })
    t.equal((await info()).planId, 'advanced-250k-monthly')
    await pass((Date.parse(nextBill!) - now.at.getTime()) / day - 0.01)
    t.equal((await info()).planId, 'advanced-250k-monthly', 'one moment before')
    await pass(0.02)
    await shop.delivered()
    t.match(await info(), { planId: 'core-50k-monthly' })
    t.match(await status(), {
      pendingPlan: null,
      subscriptionStatus: 'Active',
      sessionLimit: 50_000,
    })
  },
)

t.test('while frozen, tests are suspended; afterwards each has its old status', async t => {
  const running = await seedTest(db, storeId, { start_at: now.at }),
    paused = await seedTest(db, storeId, { start_at: now.at })
  await call('updateTest', { params: { id: paused }, body: { status: 'Paused' } }, token)
  await change('freeze')
  t.match(await status(), { subscriptionStatus: 'Frozen', nextBill: null })
  const states = async () =>
    Promise.all(
      [running, paused].map(async id => (await call('test', { params: { id } }, token)).status),
    )
  t.same(await states(), ['Suspended', 'Suspended'])
  t.match(await refusal(subscribe('core-100k-monthly')), { status: 409, message: /frozen/ })
  await change('unfreeze')
  t.equal((await status()).subscriptionStatus, 'Active')
  t.same(await states(), ['Active', 'Paused'])
})

t.test(
  'after a cancellation the store keeps its plan id, and can subscribe again without a second trial',
  async t => {
    await change('cancel')
    t.match(await status(), {
      subscriptionStatus: 'Cancelled',
      currentSubscriptionEnd: now.at.toISOString(),
    })
    t.match(await info(), { planId: 'core-50k-monthly', hasSubscribed: true })
    const url = await subscribe('core-50k-monthly')
    t.match((await shop.app.inject(url.slice(shopOrigin.length))).body, /Free trial<\/dt><dd>None/)
    await answer(url, 'approve')
    t.match(await status(), { subscriptionStatus: 'Active' })
  },
)

t.test(
  'late, repeated and reordered deliveries end in the same state, and invalid ones are refused',
  async t => {
    const before = await status()
    const rows = await db.kysely.selectFrom('subscriptions').selectAll().execute()
    t.same(rows.map(row => row.status).sort(), [
      'Active',
      'Cancelled',
      'Cancelled',
      'Cancelled',
      'Declined',
      'Expired',
      'Expired',
    ])
    const deliver = async (body: object, secret = appSecret) => {
      const request = webhook(
        JSON.stringify(body),
        {
          'x-demo-topic': 'app_subscriptions/update',
          'x-demo-shop': firstShop,
          'x-demo-delivery-id': 'late',
          'x-demo-triggered-at': now.at.toISOString(),
        },
        secret,
      )
      return (
        await engine.app.inject({
          method: 'POST',
          url: '/webhooks/demo/app_subscriptions-update',
          ...request,
        })
      ).statusCode
    }
    const active = rows.find(row => row.status === 'Active')!
    const late = {
      app_subscription: {
        id: active.subscription_id,
        plan_id: active.plan_id,
        status: 'CANCELLED',
        created_at: active.created_at,
        trial_ends_at: null,
        current_period_ends_at: now.at,
      },
    }
    t.equal(await deliver(late), 200)
    t.equal(await deliver(late), 200)
    t.same(await status(), before, 'the current answer of the platform counts')
    t.equal(await deliver(late, 'another-secret-0123456789'), 401)
    t.equal(await deliver({ app_subscription: { ...late.app_subscription, status: 'GREAT' } }), 400)
    await change('freeze')
    await change('unfreeze')
    t.same(await status(), before)
    const readAt = (billing_read_at: Date | null) =>
      db.kysely.updateTable('stores').set({ billing_read_at }).execute()
    await readAt(new Date(Date.now() + day))
    await change('freeze')
    t.same(await status(), before, 'an older reading does not replace a newer one')
    await readAt(null)
    await change('unfreeze')
    t.same(await status(), before)
  },
)

t.test('a discount code: valid, unknown, expired, used up, used before, for one plan', async t => {
  const code = {
    value_type: 1 as const,
    value: 15,
    plan_id: null,
    expires_at: null,
    max_stores: null,
    created_at: now.at,
  }
  await db.kysely
    .insertInto('discount_codes')
    .values([
      { ...code, code: 'FIFTEEN' },
      { ...code, code: 'OLD', expires_at: now.at },
      { ...code, code: 'SOON', expires_at: new Date(now.at.getTime() + 1) },
      { ...code, code: 'ONCE', max_stores: 1 },
    ])
    .execute()
  const check = (code: string) => call('checkDiscount', { params: { code } }, token)
  const invalid = { isValid: false, valueType: 0, value: 0 }
  t.same(await check('fifteen'), { isValid: true, valueType: 1, value: 15 })
  t.same(await check('SOON'), { isValid: true, valueType: 1, value: 15 })
  t.same(await check('OLD'), invalid, 'expired')
  t.same(await check('nobody-knows'), invalid, 'unknown')
  t.same(await check('KILN20'), invalid, 'this store has used it')
  await db.kysely
    .updateTable('subscriptions')
    .set({ discount_code: null })
    .where('discount_code', '=', 'KILN20')
    .execute()
  t.same(await check('KILN20'), {
    isValid: true,
    valueType: 0,
    value: 20,
    planId: 'advanced-250k-monthly',
  })
  const other = await seedStore(db, { shop: 'other-shop.demo-shop.test' })
  await db.kysely
    .insertInto('subscriptions')
    .values({
      store_id: other,
      subscription_id: 'theirs',
      plan_id: 'core-50k-monthly',
      status: 'Active',
      discount_code: 'ONCE',
      trial_ends_at: null,
      current_period_ends_at: now.at,
      created_at: now.at,
      updated_at: now.at,
    })
    .execute()
  t.same(await check('ONCE'), invalid, 'used up by another store')
})

t.test(
  'a request for a custom plan creates a lead, with or without the slash at the end of the path',
  async t => {
    const { leadId } = await call('requestCustomPlan', {}, token)
    const plain = await engine.app.inject({
      method: 'POST',
      url: contract.requestCustomPlan.path.replace(/\/$/, ''),
      headers: { authorization: `Bearer ${token}` },
    })
    t.same(plain.json(), { leadId }, 'an empty lead is used again')
    const send = (body: object) =>
      call('updateCustomPlan', { params: { id: leadId }, query: {}, body }, token)
    t.match(await refusal(send({ firstName: 'Mara' })), {
      status: 400,
      problem: {
        message: 'Value is required',
        fields: [{ field: 'email', message: 'Value is required' }],
      },
    })
    t.match(await refusal(send({ email: 'mara' })), {
      status: 400,
      problem: { fields: [{ field: 'email', message: 'Value is not a valid email address' }] },
    })
    t.same(await send({ firstName: ' Mara ', lastName: 'Lindqvist', email: 'mara@shop.example' }), {
      ok: true,
    })
    t.match(await db.kysely.selectFrom('leads').selectAll().execute(), [
      { first_name: 'Mara', last_name: 'Lindqvist', email: 'mara@shop.example' },
    ])
    t.not((await call('requestCustomPlan', {}, token)).leadId, leadId)
    await sql`update leads set email = 'mara@shop.example'`.execute(db.kysely)
    await sql`insert into leads (store_id, lead_id, email, created_at, updated_at)
      select store_id, gen_random_uuid(), email, created_at, updated_at from leads, generate_series(2, ${quotas.leads}) limit ${quotas.leads - 2}`.execute(
      db.kysely,
    )
    t.match(await refusal(call('requestCustomPlan', {}, token)), {
      status: 409,
      problem: { message: /many requests/ },
    })
    t.equal(
      (
        await refusal(
          call(
            'updateCustomPlan',
            { params: { id: storeId }, query: {}, body: { email: 'a@b.example' } },
            token,
          ),
        )
      ).status,
      404,
    )
  },
)

t.test('a store’s plan requests per day are limited', async t => {
  const { planId } = await info()
  const plan = (await call('plans', {}, token)).find(
    ({ id, available, requireAppointment }) => id !== planId && available && !requireAppointment,
  )!
  await sql`insert into subscriptions (store_id, subscription_id, plan_id, status, created_at, updated_at)
    select ${storeId}, 'asked-' || n, ${plan.id}, 'Pending', ${now.at}, ${now.at} from generate_series(1, ${quotas.pendingPlans}) n`.execute(
    db.kysely,
  )
  t.match(await refusal(subscribe(plan.id)), {
    status: 409,
    problem: { message: /asked for a plan many times/ },
  })
})
