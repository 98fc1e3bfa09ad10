import t from 'tap'
import {
  db,
  embed,
  get,
  merchant,
  post,
  put,
  select,
  shopOrigin,
  storeId,
} from '../support/plan-pages-shop.ts'
import { textOf } from '../support/merchant.ts'
import { newStore, startShopMerchant } from '../support/shop-merchant.ts'

t.before(() => put(newStore))

t.test(
  'talking to sales stores a request and offers a time; another contact is entered first',
  async t => {
    const leads = () =>
      db.kysely
        .selectFrom('leads')
        .select(['lead_id', 'first_name', 'last_name', 'email', 'via', 'state'])
        .where('store_id', '=', storeId)
        .orderBy('email', ob => ob.asc().nullsLast())
        .execute()
    const started = await post(`${select}/custom-request?visitors=9999999&billing=annual`)
    t.equal(started.statusCode, 303)
    t.match(
      started.headers.location,
      /^\/overlay\/selectplan\?visitors=9999999&billing=annual&ask=talk&lead=[0-9a-f-]{36}$/,
    )
    t.match(
      await leads(),
      [{ email: 'mara@fernandkiln.example', via: 'booking', state: 'open' }],
      'the request is kept before the scheduler is shown',
    )
    await post(`${select}/custom-request`)
    t.equal(
      (await leads()).filter(({ email }) => email !== null).length,
      1,
      'opening it again makes no second request',
    )
    const sourceOf = (body: string) =>
      new URL(/<iframe[^>]*src="([^"]+)" height="700"/.exec(body)![1]!.replaceAll('&amp;', '&'))
    const offered = await get(started.headers.location!)
    t.match(offered.body, /<dialog open id="custom-plan"/)
    t.match(
      textOf(offered.body),
      /Choose a time to talk You are booking as Mara Lindqvist , mara@fernandkiln\.example/,
    )
    t.match(
      textOf(offered.body),
      /We have your request\. If you do not book a time, we will write .* help@twinshelf\.example/,
    )
    t.match(Object.fromEntries(sourceOf(offered.body).searchParams), {
      team: 'plans',
      firstName: 'Mara',
      lastName: 'Lindqvist',
      email: 'mara@fernandkiln.example',
      storeId,
      customPricing: 'true',
    })
    t.match(offered.body, new RegExp(`<script async src="${embed}" nonce="[^"]+"></script>`))
    t.match(
      offered.headers['content-security-policy'],
      /script-src 'nonce-[^']+' https:\/\/embed\.example\.test;.*frame-src \S+ https:\/\/meet\.example\.test;/,
    )
    const closed = await get(select)
    t.notMatch(
      closed.body + closed.headers['content-security-policy'],
      /(embed|meet)\.example\.test/,
      'nothing of the scheduler is loaded before it is needed',
    )
    const other = /href="([^"]+)">Book for another person/
      .exec(offered.body)![1]!
      .replaceAll('&amp;', '&')
    const form = await get(other)
    t.notMatch(form.body, '<iframe')
    t.match(form.body, /<dialog open[^>]*>/)
    for (const value of ['Mara', 'Lindqvist', 'mara@fernandkiln.example'])
      t.match(form.body, `value="${value}"`, 'the form has the merchant’s data from the platform')
    t.match(textOf(form.body), '1M–2M 2M–3M 3M–4M 5M+')
    const id = (await leads())[0]!.lead_id
    const send = (fields: Record<string, string>) =>
      post(`${select}/custom-request/${id}?visitors=9999999`, fields)
    for (const email of ['', '   ', 'mara', 'mara@', '@x.y', 'a b@c.de', `<script>@x`]) {
      const { statusCode, body } = await send({
        firstName: 'Ann "A"',
        lastName: '',
        email,
        range: '3M-4M',
      })
      t.equal(statusCode, 422, email)
      t.match(body, /id="email-problem"[\s\S]*?Email is required/)
      t.match(body, /aria-invalid="true"/)
      t.match(body, 'value="Ann &quot;A&quot;"')
      t.match(body, /<option selected value="3M-4M"|value="3M-4M" selected/)
    }
    t.match((await leads())[0], { first_name: 'Mara' }, 'no contact was stored')
    const long = 'x'.repeat(99) + '🌿'
    t.equal((await send({ email: 'a@b.cd', firstName: long, lastName: long })).statusCode, 200)
    t.match(
      (await leads())[0],
      { first_name: /^x{99}.$/, last_name: /^x{99}.$/, email: 'a@b.cd' },
      'no name is refused; one of more than 100 characters is cut',
    )
    const booked = await send({
      firstName: 'Ann',
      lastName: '',
      email: 'ann@shop.test',
      range: '5M+',
    })
    t.equal(booked.statusCode, 200)
    t.match(Object.fromEntries(sourceOf(booked.body).searchParams), {
      team: 'plans',
      firstName: 'Ann',
      lastName: '',
      email: 'ann@shop.test',
      storeName: 'Fern & Kiln',
      storeId,
      shop: 'fern-and-kiln.demo-shop.test',
      customPricing: 'true',
    })
    t.match(booked.body, 'height="700"')
    t.match(
      booked.headers['content-security-policy'],
      `frame-src ${shopOrigin} https://meet.example.test;`,
    )
    t.match((await leads())[0], { first_name: 'Ann', email: 'ann@shop.test', via: 'booking' })
    for (const other of ['x', '00000000-0000-4000-8000-000000000000'])
      t.equal(
        (await post(`${select}/custom-request/${other}`, { email: 'a@b.cd' })).statusCode,
        404,
      )
    t.notMatch((await get(`${select}?ask=talk&lead=%3Cb%3E`)).body, '<dialog open')
  },
)

t.test('without a scheduler the page says that we will write', async t => {
  await put(newStore)
  const plain = await merchant.appWith({})
  t.teardown(plain.close)
  const { headers } = await plain.post(`${select}/custom-request`)
  const id = /lead=([0-9a-f-]+)/.exec(headers.location!)![1]!
  const form = textOf((await plain.get(headers.location!)).body)
  t.match(form, /Talk to sales .* You cannot choose a time for a call here, so send us this form/)
  t.match(form, /we keep your request and email you/)
  t.notMatch(form, 'You can also write to', 'no address is configured')
  const {
    body,
    headers: { 'content-security-policy': policy },
  } = await plain.post(`${select}/custom-request/${id}`, { email: 'bob@shop.test', range: '2M-3M' })
  t.match(policy, `frame-src ${shopOrigin};`)
  t.match(textOf(body), 'We will write to bob@shop.test about a plan for 2M–3M visitors a month')
  t.match(
    await db.kysely
      .selectFrom('leads')
      .select(['via', 'state'])
      .where('email', '=', 'bob@shop.test')
      .where('lead_id', '=', id)
      .execute(),
    [{ via: 'form', state: 'open' }],
  )
  const helped = await merchant.appWith({ SUPPORT_EMAIL: 'help@twinshelf.example' })
  t.teardown(helped.close)
  const again = await helped.post(`${select}/custom-request`)
  t.match(
    (await helped.get(again.headers.location!)).body,
    /You can also write to <a href="mailto:help@twinshelf\.example\?[^"]*fern-and-kiln/,
  )
  t.notMatch(body, '<iframe')
  t.notMatch(
    (await plain.get(select)).body,
    'mailto:',
    'without configuration there is no support address',
  )
})

t.test('a merchant unknown to the platform fills in the form first', async t => {
  // A shop of its own, because it is closed here.
  const alone = await startShopMerchant({ SCHEDULER_URL: 'https://meet.example.test/book' })
  t.teardown(alone.close)
  await alone.put(newStore)
  await alone.shop.app.close()
  const { headers } = await alone.post(`${select}/custom-request`)
  t.match(headers.location, /ask=talk&lead=[0-9a-f-]{36}&form=1$/)
  const { body } = await alone.get(headers.location!)
  t.match(textOf(body), /Talk to sales .* then choose a time .* We keep your request in any case/)
  t.notMatch(body, '<iframe')
})
