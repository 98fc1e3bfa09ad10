import t, { type Test } from 'tap'
import { seedTest } from '../../engine/support/seeds.ts'
import { textOf } from '../support/merchant.ts'
import { newStore, startShopMerchant } from '../support/shop-merchant.ts'

const select = '/overlay/selectplan',
  lockout = '/overlay/noplan',
  admin = '/admin/apps/twinshelf'
const top = { headers: { 'sec-fetch-dest': 'document' } }
const own = (url: unknown) => new URL(String(url), 'http://own.test')
const addressOf = (url: URL, ...without: string[]) => {
  for (const name of ['signed_in', ...without]) url.searchParams.delete(name)
  return `${url.pathname}?${url.searchParams}`.replace(/\?$/, '')
}
/** The addresses to which the forms of a page with plans post a choice. */
const choices = (body: string) =>
  [...body.matchAll(/<form action="([^"]+)" method="post"><input type="hidden" name="plan"/g)].map(
    ([, action]) => action!.replaceAll('&amp;', '&'),
  )

/** A store without a plan, in a shop of its own. */
async function newShop(t: Test, state: { onboarded: boolean } = { onboarded: true }) {
  const merchant = await startShopMerchant()
  t.teardown(merchant.close)
  const { call, db, get, idToken, later, post, press, put, shop, shopOrigin, storeId } = merchant
  const test = await seedTest(db, storeId, { title: 'Larger button' })
  const { id: draft } = await call('createDraft', { body: { kind: 'PageElement', title: 'D' } })
  await put({ ...newStore, ...state })

  /** Opens a page from the shop's admin, and follows where the app leads. */
  async function landing(path: string): Promise<{ url: URL; body: string }> {
    let url = own(path)
    later()
    url.searchParams.set('id_token', await idToken())
    for (;;) {
      const response = await get(url.pathname + url.search)
      if (response.statusCode >= 400) throw new Error(`${url} was answered ${response.statusCode}`)
      if (!response.headers.location) return { url, body: response.body }
      url = own(response.headers.location)
    }
  }
  /** Chooses a plan by the form of a page, answers in the shop's admin, and comes back. */
  async function choose(action: string, answer: 'approve' | 'decline', plan: string) {
    const { headers } = await post(action, { plan }, top)
    const back = await press(`${headers.location!.slice(shopOrigin.length)}/${answer}`)
    const address = String(back.headers.location)
    t.equal((await shop.app.inject(address)).statusCode, 200, 'the admin shows this page')
    return landing(address.slice(admin.length) || '/')
  }
  return { ...merchant, report: `/tests/${test}?ask=end`, draft, landing, choose }
}

t.test('after the approval the page that was asked for opens, with its dialog', async t => {
  for (const nameOf of [
    ({ report }: { report: string }) => report,
    ({ draft }: { draft: string }) => `/tests/draft/edit/${draft}?step=goal&x=a%26b%2F%3F`,
    () => '/recommendations?search=mug%20%26%20bowl%27s',
  ]) {
    const shop = await newShop(t)
    const asked = nameOf(shop)
    const { url, body } = await shop.landing(asked)
    t.equal(url.pathname, select)
    const end = await shop.choose(choices(body)[0]!, 'approve', 'advanced-100k-monthly')
    t.equal(addressOf(end.url), addressOf(own(asked)))
    t.match(textOf(end.body), /Your plan is now Advanced 100k, billed monthly/)
  }
})

t.test('after a decline the plan choice keeps the page and the code', async t => {
  const { report, landing, choose } = await newShop(t)
  const first = await landing(`${report}&code=SPRING`)
  const { url, body } = await choose(choices(first.body)[0]!, 'decline', 'advanced-100k-monthly')
  t.equal(url.pathname, select)
  t.equal(url.searchParams.get('code'), 'SPRING')
  t.match(textOf(body), 'was not approved')
  const [action] = choices(body)
  t.equal(own(action).searchParams.get('from'), report, 'the next choice leads there too')
  t.equal(own(action).searchParams.get('code'), 'SPRING')
  t.ok(body.includes(`name="from" value="${report}"`), 'and so does the slider')

  const end = await choose(action!, 'approve', 'core-100k-monthly')
  t.equal(end.url.searchParams.get('code'), 'SPRING')
  t.equal(addressOf(end.url, 'code'), report)
})

t.test('a code without another page survives too', async t => {
  const { landing, choose } = await newShop(t)
  const { body } = await landing(`${select}?code=SPRING`)
  const declined = await choose(choices(body)[0]!, 'decline', 'core-100k-monthly')
  t.equal(declined.url.pathname, select)
  t.equal(declined.url.searchParams.get('code'), 'SPRING')
})

t.test('a store that must still be set up gets to the page after that', async t => {
  const { report, landing, choose, post } = await newShop(t, { onboarded: false })
  const { body } = await landing(report)
  const { url } = await choose(choices(body)[0]!, 'approve', 'core-100k-monthly')
  t.equal(url.pathname, '/welcome')
  const { headers } = await post(`/welcome/last-question${url.search}`, {
    testingExperience: 'some',
    source: 'search',
  })
  t.equal(headers.location, report)
})

t.test('a store that lost its plan gets back to its page as well', async t => {
  const { report, landing, choose, press, db } = await newShop(t)
  const { body } = await landing('/')
  await choose(choices(body)[0]!, 'approve', 'core-100k-monthly')
  const { subscription_id } = await db.kysely
    .selectFrom('stores')
    .select('subscription_id')
    .executeTakeFirstOrThrow()
  await press(`/admin/billing/${subscription_id}/cancel`)
  const locked = await landing(report)
  t.equal(locked.url.pathname, lockout)
  const { url } = await choose(choices(locked.body)[0]!, 'approve', 'core-50k-monthly')
  t.equal(addressOf(url), report)
})

t.test('the first page is kept on the page with plans, and opens once there is a plan', async t => {
  const { report, landing, get, send, post, put } = await newShop(t)
  const { url, body } = await landing(report)
  const blocked = await send({
    url: '/settings/account',
    headers: { referer: `http://localhost:3000${url.pathname}${url.search}` },
  })
  t.equal(own(blocked.headers.location).searchParams.get('from'), report)
  const talk = /<form action="([^"]*custom-request[^"]*)"/.exec(body)![1]!.replaceAll('&amp;', '&')
  const asked = own((await post(talk, {})).headers.location)
  t.equal(asked.searchParams.get('from'), report, 'also for a plan that is agreed in person')
  const all = await get(`/overlay/select-secret-all-plans${url.search}`)
  t.equal(own(choices(all.body)[0]).searchParams.get('from'), report, 'on the page of all plans')
  t.ok(all.body.includes(`href="${select}?from=${encodeURIComponent(report)}"`), 'and back')
  await put({ plan_id: 'core-50k-monthly', has_subscribed: true, subscription_status: 'Active' })
  const opened = own((await send({ url: url.pathname + url.search })).headers.location)
  t.equal(addressOf(opened), report, 'the plan was chosen elsewhere')
})

t.test('a page that waits for the shop asks again, and goes on once it confirms', async t => {
  const { report, landing, post, send, put } = await newShop(t)
  const { body } = await landing(report)
  await post(choices(body)[0]!, { plan: 'core-100k-monthly' }, top)
  const waiting = await landing(report)
  const again = /id="plan-news" hx-get="([^"]+)" hx-trigger="every 2s"/.exec(waiting.body)![1]!
  const ask = () => send({ url: again.replaceAll('&amp;', '&'), headers: { 'hx-request': 'true' } })
  const same = await ask()
  t.equal(same.statusCode, 200)
  t.match(textOf(same.body), 'Core 100k waits for your approval')
  await put({ plan_id: 'core-100k-monthly', has_subscribed: true, subscription_status: 'Active' })
  const confirmed = await ask()
  t.equal(confirmed.statusCode, 204)
  t.equal(addressOf(own(confirmed.headers['hx-redirect'])), report)
})

t.test('only pages of the app are returned to', async t => {
  const { landing, call, post, press, put, get, shopOrigin } = await newShop(t)
  const fallback = /^\/admin\/apps\/twinshelf\/settings\/billing\?asked=/
  for (const from of [
    'https://evil.example/tests',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    'javascript:alert(1)',
    '/overlay/selectplan',
    '/admin',
    '/nowhere',
  ]) {
    await put({ ...newStore, onboarded: true })
    const query = new URLSearchParams({ from })
    const { body } = await landing(`${select}?${query}`)
    t.notOk(own(choices(body)[0]).searchParams.has('from'), from)
    const back = async (url: string) =>
      (await press(`${url.slice(shopOrigin.length)}/decline`)).headers.location
    const { headers } = await post(`${select}?${query}`, { plan: 'core-100k-monthly' }, top)
    t.match(await back(headers.location!), fallback, from)
    const { confirmationUrl } = await call('subscribe', {
      params: { id: 'core-50k-monthly' },
      query: { from },
    })
    t.match(await back(confirmationUrl), fallback, `${from}: the engine does not trust the app`)
    await put({ plan_id: 'core-50k-monthly', has_subscribed: true, subscription_status: 'Active' })
    t.equal(own((await get(`${select}?${query}`)).headers.location).pathname, '/', from)
  }
})
