import t from 'tap'
import { priceChangeAlerts } from '../../../domain/plans/plan-price.ts'
import { textOf } from '../support/merchant.ts'
import { newStore } from '../support/shop-merchant.ts'
import {
  db,
  shop,
  shopOrigin,
  get,
  post,
  put,
  press,
  signIn,
  later,
  select,
  framed,
  cardsOf,
  asked,
  lockout,
  billing,
  all,
  top,
} from '../support/plan-pages-shop.ts'

t.test(
  'a new store sees one plan of each level at the default size, monthly, with a trial',
  async t => {
    await put(newStore)
    t.match((await get('/')).headers.location, select)
    const { body } = await get(select)
    t.match(
      textOf(body),
      /Choose your plan.*free trial of 14 days.*Monthly visitors 50k 100k 250k 500k 1M 1M\+ .*Monthly Annual Save 25%/,
    )
    t.match(body, /<input [^>]*type="range" min="0" max="5"[^>]* name="step" value="1"/)
    t.match(body, /aria-valuetext="100,000 visitors a month"/)
    t.match(body, /name="billing" checked="" value="monthly"/)
    t.match(cardsOf(body), [
      /^Core \$99 a month \$74 a month when billed annually Start free trial .*Template and theme testing/,
      /^Advanced \$199 a month .*Start free trial .*Everything in Core, and Price testing \(beta\)/,
      /^Pro Pro \$399 a month .*Talk to sales .*Everything in Advanced, and An account manager/,
    ])
    t.match(body, /<svg[^>]*>(?:(?!<\/svg>).)*<\/svg>Pro</, 'the badge has its icon')
    t.match(body, 'data-island="plan-chooser"')
  },
)

t.test('size and billing are in the address; an unknown one is ignored', async t => {
  const annual = await get(`${select}?visitors=250000&billing=annual`)
  t.match(
    cardsOf(annual.body)[0],
    /^Core \$134 a month \$1,611 billed annually\. Save \$537 a year Start free trial/,
  )
  t.match(cardsOf((await get(`${select}?visitors=9999999`)).body), [
    /^Core Let's talk .*Talk to sales/,
    /^Advanced Let's talk/,
    /^Pro Pro Let's talk/,
  ])
  for (const query of [
    'visitors=7',
    'visitors=-1',
    'visitors=%3Cb%3E',
    'billing=weekly',
    'visitors=&billing=',
    `visitors=${'9'.repeat(4000)}`,
  ])
    t.match(
      cardsOf((await get(`${select}?${query}`)).body)[0],
      /^Core \$99 a month/,
      query.slice(0, 20),
    )
})

t.test(
  'a level without a monthly plan shows its annual one, whose button switches to annual plans',
  async t => {
    const offer = async (available: boolean) => {
      await db.kysely
        .updateTable('plans')
        .set({ available })
        .where('plan_id', '=', 'core-100k-monthly')
        .execute()
      await signIn()
    }
    t.teardown(() => offer(true))
    await offer(false)
    const { body } = await get(`${select}?shop=fern-and-kiln.demo-shop.test`)
    t.match(cardsOf(body)[0], /^Core \$74 a month .*View annual plans/)
    t.match(
      body,
      /<a class="button secondary" href="\/overlay\/selectplan\?visitors=100000&amp;billing=annual&amp;shop=fern-and-kiln\.demo-shop\.test">View annual plans/,
    )
  },
)

t.test('a valid code is announced, and the chooser opens at its plan', async t => {
  const own = await get(`${select}?code=kiln20`)
  t.match(textOf(own.body), 'Discount for 20% off Advanced 100k (Annually) applied')
  t.match(cardsOf(own.body), [
    /^Core \$74/,
    /^Advanced 20% off was \$149 \$119 a month Save \$597 a year, and 20% with your code/,
    /^Pro Pro \$299/,
  ])
  t.equal(
    [...own.body.matchAll(/name="discountCode" value="kiln20"/g)].length,
    1,
    'only its plan’s form sends the code',
  )
  t.match(
    own.body,
    /action="\/overlay\/selectplan\?visitors=100000&amp;billing=annual&amp;code=kiln20"/,
  )
  const every = await get(`${select}?code=ALL50&visitors=50000&billing=monthly`)
  t.match(textOf(every.body), 'Discount for $50 off all plans applied')
  t.match(cardsOf(every.body)[0], /^Core \$50 off was \$59 \$9 a month/)
  t.match(
    cardsOf((await get(`${select}?code=ALL50&visitors=9999999`)).body)[0],
    /^Core Let's talk/,
    'the plan has no price to reduce',
  )
  const free = await get(`${select}?code=FREE`)
  t.match(textOf(free.body), 'Discount for 100% off all plans applied')
  t.match(cardsOf(free.body)[0], /^Core \$99 a month/, 'a price of 0 is not shown')
})

t.test('an invalid code is not mentioned', async t => {
  for (const bad of ['NOSUCH', 'PAST', '%3Cscript%3E', 'x'.repeat(65), '']) {
    const { body, statusCode } = await get(`${select}?code=${bad}`)
    t.equal(statusCode, 200)
    t.notMatch(textOf(body), /[Dd]iscount|[Cc]ode /, bad)
    t.match(cardsOf(body)[0], /^Core \$99/)
  }
})

t.test('a plan is requested once, outside the frame, and approved at the shop', async t => {
  const choice = { plan: 'advanced-100k-annual', discountCode: 'KILN20' }
  const answers = await Promise.all([
    post(`${select}?code=KILN20`, choice, top),
    post(`${select}?code=KILN20`, choice, top),
  ])
  t.same(
    answers.map(answer => answer.statusCode),
    [303, 303],
  )
  const address = answers[0]!.headers.location!
  t.ok(address.startsWith(`${shopOrigin}/admin/billing/`))
  t.equal(answers[1]!.headers.location, address, 'both clicks of a double click')
  t.equal((await asked()).length, 1)
  const framedAnswer = await post(`${select}?code=KILN20`, choice, framed)
  t.equal(framedAnswer.statusCode, 200)
  t.ok(framedAnswer.body.includes(`href="${address}" target="_top"`))
  t.match(framedAnswer.headers['content-security-policy'], `form-action 'self' ${shopOrigin}`)
  t.match(
    (await shop.app.inject(address.slice(shopOrigin.length))).body,
    /Discount of 20%.*14 days/s,
  )
  later()
  t.match(textOf((await get(select)).body), 'Advanced 100k waits for your approval')
  await press(`${address.slice(shopOrigin.length)}/decline`)
  t.match(textOf((await get(select)).body), 'was not approved')
})

t.test('a plan that cannot be chosen has a message, and no subscription is requested', async t => {
  for (const [fields, status, words] of [
    [{}, 422, 'Choose one of the plans'],
    [{ plan: 'nope' }, 422, 'Choose one of the plans'],
    [{ plan: 'grandfathered' }, 409, 'This plan is not offered'],
    [{ plan: 'pro-100k-monthly' }, 409, 'agreed in person'],
    [
      { plan: 'core-100k-monthly', discountCode: 'PAST' },
      422,
      'discount code is not valid any more',
    ],
    [
      { plan: 'core-100k-monthly', discountCode: 'x'.repeat(100) },
      422,
      'discount code is not valid any more',
    ],
  ] as const) {
    const { statusCode, body } = await post(`${select}?visitors=500000`, { ...fields }, top)
    t.equal(statusCode, status, JSON.stringify(fields))
    t.match(textOf(body), words)
    t.match(body, /role="alert"/)
    t.match(body, / name="step" value="3"/, 'the form keeps the choice')
  }
  t.equal(
    (
      await post(
        select,
        { plan: 'core-100k-monthly' },
        { headers: { origin: 'https://evil.example' } },
      )
    ).statusCode,
    403,
  )
  t.equal((await asked()).length, 0)
})

t.test('the page of all plans lists every plan, also unavailable ones', async t => {
  const { body } = await get(`${all}?code=ALL50`)
  const rows = [...body.matchAll(/<tr>[\s\S]*?<\/tr>/g)].slice(1).map(([row]) => textOf(row).trim())
  t.equal(rows.length, (await db.kysely.selectFrom('plans').select('plan_id').execute()).length)
  t.match(rows[0], /^Grandfathered 1M\+ Monthly Let's talk Unavailable/)
  t.ok(
    rows.some(row => row.startsWith('Core 100k Monthly $129 a month Unavailable')),
    'an unavailable plan has no discount',
  )
  t.ok(rows.some(row => row.startsWith('Core 100k Annually was $74 $70 a month Start free trial')))
  t.match(
    (await post(all, { plan: 'core-50k-annual' }, top)).headers.location,
    `${shopOrigin}/admin/billing/`,
  )
  t.equal((await post(all, { plan: 'grandfathered' })).statusCode, 409)
})

t.test('after the approval the merchant is signed in again and continues', async t => {
  const { headers } = await post(select, { plan: 'advanced-100k-monthly' }, top)
  const back = await press(`${headers.location!.slice(shopOrigin.length)}/approve`)
  t.equal(back.headers.location, '/admin/apps/twinshelf')
  await signIn()
  t.match((await get('/')).headers.location, '/welcome')
  await put({ onboarded: true })
})

t.test('billing shows the present plan; a smaller plan is confirmed first', async t => {
  const { body } = await get(billing)
  t.match(
    textOf(body),
    /Your plan Free trial, 14 days left Plan Advanced Visitors a month 100k Billed Monthly Subscription Active Trial ends .* Next bill/,
  )
  t.match(textOf(body), /During the free trial there is no limit/)
  t.match(cardsOf(body), [/Update free trial/, /Current free trial/, /Talk to sales/])
  t.match(
    body,
    /<a class="button secondary" href="\/settings\/billing\?visitors=100000&amp;billing=monthly&amp;ask=downgrade&amp;plan=core-100k-monthly" data-modal="downgrade-core-100k-monthly"/,
  )
  t.match(
    textOf(/<dialog id="downgrade-core-100k-monthly"[\s\S]*?<\/dialog>/.exec(body)![0]),
    /Change to Core 100k \(Monthly\)\? It takes effect at the next billing cycle, on \d+ \w+ \d{4}\. Until then you keep Advanced 100k \(Monthly\) and all its features\. Keep my plan Change plan/,
  )
  const larger = await get(`${billing}?visitors=250000`)
  t.match(cardsOf(larger.body)[0], /^Core/)
  t.notMatch(
    /<dialog id="downgrade-advanced/.exec(larger.body),
    true,
    'a larger size of the same level starts at once',
  )
  t.equal(
    (await post(billing, { plan: 'advanced-100k-monthly' })).statusCode,
    409,
    'the store is on that plan',
  )
  const { headers } = await post(billing, { plan: 'core-100k-monthly' }, top)
  later()
  t.match(
    textOf((await get(billing)).body),
    /Core 100k starts at the next billing cycle, on .*, if you have approved it/,
  )
  await press(`${headers.location!.slice(shopOrigin.length)}/decline`)
})

t.test('a closed feature offers the plan that includes it in a dialog on its page', async t => {
  await put({ plan_id: 'core-100k-annual', trial_end: null, trial: false, pending_plan: null })
  const link = /class="button" href="([^"]+)"[^>]*>See the Advanced plan/
    .exec((await get('/recommendations?shop=fern-and-kiln.demo-shop.test')).body)![1]!
    .replaceAll('&amp;', '&')
  const { body } = await get(`${link}&code=KILN20`)
  const dialog = /<dialog open id="plan-upgrade"[\s\S]*?<\/dialog>/.exec(body)![0]
  t.match(
    textOf(dialog),
    /^ ?Lift Assist It reads your shop’s traffic .* Lift Assist comes with the Advanced plan and above\. Advanced 20% off was \$149 \$119 a month .* Update plan .* You are on Core 100k \(Annually\)\. .* See all plans Not now/,
  )
  t.match(
    dialog,
    /<form action="\/settings\/billing\?visitors=100000&amp;billing=annual[^"]*" method="post"><input type="hidden" name="plan" value="advanced-100k-annual"\/?><input type="hidden" name="discountCode" value="KILN20"/,
  )
  t.match(
    dialog,
    'href="/recommendations?shop=fern-and-kiln.demo-shop.test&amp;code=KILN20" data-close="true">Not now',
    'closing the dialog keeps the address’s parameters',
  )
  t.match(body, /href="[^"]*plans[^"]*\.css"/)
  for (const [path, words] of [
    ['/tests/draft/edit', 'URL redirect'],
    ['/settings/integrations', 'GA4 integration'],
  ] as const)
    t.match((await get(path)).body, /ask=upgrade&amp;feature=/, words)
  for (const query of [
    'ask=upgrade',
    'ask=upgrade&feature=PriceTesting',
    'ask=upgrade&feature=UrlRedirectTests',
    'ask=upgrade&feature=toString',
    'feature=LiftAssists',
  ])
    t.notMatch((await get(`/recommendations?${query}`)).body, 'plan-upgrade', query)
  t.notMatch((await get('/nowhere?ask=upgrade&feature=LiftAssists')).body, 'plan-upgrade')
})

t.test('a store on an old plan is told its new price, which is that of another plan', async t => {
  for (const [old, { planId, price }] of Object.entries(priceChangeAlerts)) {
    await put({ plan_id: old, trial_end: null })
    const { body } = await get(billing)
    t.match(textOf(body), `has a new price: $${price} a month`)
    const banner = /<form class="banner"[\s\S]*?<\/form>/.exec(body)![0]
    t.match(banner, `name="plan" value="${planId}"`)
    t.match(
      (await post(billing, { plan: planId }, top)).headers.location,
      `${shopOrigin}/admin/billing/`,
    )
  }
  await put({ plan_id: 'core-100k-monthly', pending_plan: null })
  t.notMatch(textOf((await get(billing)).body), 'new price')
})

t.test('a plan that is no longer available is not offered for a new price either', async t => {
  const [old, { planId }] = Object.entries(priceChangeAlerts)[0]!
  const offer = async (available: boolean) => {
    await db.kysely.updateTable('plans').set({ available }).where('plan_id', '=', planId).execute()
    await signIn()
  }
  t.teardown(async () => {
    await offer(true)
    await put({ plan_id: 'core-100k-monthly', pending_plan: null })
  })
  await put({ plan_id: old, trial_end: null, pending_plan: null })
  t.match((await get(billing)).body, `name="plan" value="${planId}"`)
  await offer(false)
  const { body } = await get(billing)
  t.notMatch(body, '<form class="banner"')
  t.notMatch(body, `name="plan" value="${planId}"`)
})

t.test('a store that lost its plan can choose a plan again, also the same one', async t => {
  for (const [status, title] of [
    ['Cancelled', 'Your subscription was cancelled'],
    ['Expired', 'Your subscription has expired'],
  ] as const) {
    await put({
      subscription_status: status,
      has_subscribed: true,
      plan_id: 'advanced-100k-annual',
      current_subscription_end: new Date('2026-11-01T12:00:00Z'),
      trial_end: null,
    })
    t.match((await get(billing)).headers.location, lockout)
    const { body } = await get(lockout)
    t.match(textOf(body), title)
    t.match(textOf(body), /Advanced 100k of Fern & Kiln (was cancelled|expired) on 1 Nov 2026/)
    t.match(
      cardsOf(body),
      [/^Core \$74 .*Select plan/, /^Advanced \$149 .*Select plan/, /Talk to sales/],
      'the chooser opens at the store’s former plan',
    )
  }
  const { headers, body } = await post(lockout, { plan: 'advanced-100k-annual' }, top)
  t.match(headers.location, `${shopOrigin}/admin/billing/`, textOf(body))
})

t.test('a frozen store has nothing to choose: its plan returns automatically', async t => {
  await put({ subscription_status: 'Frozen' })
  const { body } = await get(lockout)
  t.match(textOf(body), /Your subscription is frozen .*continues when the shop’s own bill is paid/)
  t.match(body, `href="${shopOrigin}/admin" target="_top"`)
  t.equal(cardsOf(body).length, 0)
  t.equal((await post(lockout, { plan: 'core-100k-monthly' })).statusCode, 409)
  t.match(
    body,
    'href="mailto:help@twinshelf.example?subject=Question%20about%20Twinshelf&amp;body=%0A%0A--%0AShop%3A%20fern-and-kiln.demo-shop.test" target="_top"',
    'the page has a support address',
  )
})

t.test('a shop that does not answer has a message, and nothing is stored', async t => {
  await put(newStore)
  await db.kysely.deleteFrom('subscription_asks').execute()
  await shop.app.close()
  const { statusCode, body } = await post(select, { plan: 'core-250k-monthly' })
  t.equal(statusCode, 502)
  t.match(textOf(body), 'Your shop did not answer.')
  t.equal(
    await db.kysely
      .selectFrom('stores')
      .select('pending_plan')
      .executeTakeFirst()
      .then(row => row?.pending_plan),
    null,
  )
})
