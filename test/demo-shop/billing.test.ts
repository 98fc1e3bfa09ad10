import Fastify from 'fastify'
import t from 'tap'
import { bearer, openShop, temporaryFolder } from './support/demo-shop.ts'

const day = 86_400_000,
  hour = 3_600_000
const asked = {
  plan_id: 'core-50k-monthly',
  name: 'Core 50k',
  price: 59,
  interval: 'EVERY_30_DAYS',
  trial_days: 0,
  return_path: '/settings/billing',
  discount: null,
  replacement_behavior: 'APPLY_IMMEDIATELY',
}
type Subscription = {
  id: string
  plan_id: string
  status: string
  confirmation_url: string
  trial_ends_at: string | null
  current_period_ends_at: string | null
}

async function opened(test: Parameters<typeof openShop>[0], startsSubscribed = false) {
  const now = { at: new Date('2026-11-01T12:00:00Z') }
  const shop = await openShop(test, { startsSubscribed, clock: () => now.at })
  const api = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
    shop.app.inject({
      method,
      url: `/admin/api/${path}`,
      headers: bearer,
      ...(body && { payload: body }),
    })
  const create = async (over: object = {}) =>
    (await api('POST', 'app_subscriptions.json', { ...asked, ...over })).json<Subscription>()
  const press = (path: string, headers: Record<string, string> = {}) =>
    shop.app.inject({ method: 'POST', url: `/admin/${path}`, headers })
  const all = async () => (await api('GET', 'app_subscriptions.json')).json<Subscription[]>()
  const statuses = async () => (await all()).map(({ plan_id, status }) => `${plan_id} ${status}`)
  return {
    shop,
    now,
    api,
    create,
    press,
    all,
    statuses,
    at: (days: number) => new Date(now.at.getTime() + days * day).toISOString(),
  }
}

t.test('a new shop has one subscription, and a restart adds no second', async t => {
  const { all, shop } = await opened(t, true)
  t.match(await all(), [
    { plan_id: 'advanced-100k-monthly', status: 'ACTIVE', trial_ends_at: null },
  ])
  await shop.close()
  const again = await openShop(t, { dataDir: shop.dataDir })
  t.equal(
    (await again.app.inject({ url: '/admin/api/app_subscriptions.json', headers: bearer })).json<
      unknown[]
    >().length,
    1,
  )
})

t.test('approval starts a subscription and its trial; the next one replaces it', async t => {
  const { create, press, all, statuses, at, shop } = await opened(t)
  const first = await create({ trial_days: 14 })
  t.match(first, { status: 'PENDING', confirmation_url: /\/admin\/billing\// })
  const back = await press(`billing/${first.id}/approve`)
  t.same([back.statusCode, back.headers.location], [303, '/admin/apps/twinshelf/settings/billing'])
  t.match(await all(), [
    { status: 'ACTIVE', trial_ends_at: at(14), current_period_ends_at: at(14) },
  ])
  const second = await create({
    plan_id: 'core-100k-annual',
    interval: 'ANNUAL',
    discount: { percentage: 20 },
    price: 891,
  })
  t.match(
    (await shop.app.inject(`/admin/billing/${second.id}`)).body,
    /Discount of 20%.*\$178\.20.*\$712\.80/s,
  )
  await press(`billing/${second.id}/approve`)
  t.same(await statuses(), ['core-100k-annual ACTIVE', 'core-50k-monthly CANCELLED'])
  t.equal((await all())[0]!.current_period_ends_at, at(365))
  t.equal(
    (await all())[1]!.current_period_ends_at,
    at(0),
    'the replaced subscription ended at once',
  )
})

t.test('a smaller plan waits for the next billing cycle; periods follow each other', async t => {
  const { create, press, all, statuses, now, at } = await opened(t)
  await press(`billing/${(await create()).id}/approve`)
  const end = at(30)
  const smaller = await create({
    plan_id: 'smaller',
    replacement_behavior: 'APPLY_ON_NEXT_BILLING_CYCLE',
  })
  await press(`billing/${smaller.id}/approve`)
  t.same(await statuses(), ['smaller ACCEPTED', 'core-50k-monthly ACTIVE'])
  now.at = new Date(Date.parse(end) - 1)
  t.same(await statuses(), ['smaller ACCEPTED', 'core-50k-monthly ACTIVE'])
  now.at = new Date(end)
  t.same(await statuses(), ['smaller ACTIVE', 'core-50k-monthly CANCELLED'])
  now.at = new Date(Date.parse(end) + 75 * day)
  t.equal(
    (await all())[0]!.current_period_ends_at,
    new Date(Date.parse(end) + 90 * day).toISOString(),
  )
})

t.test(
  'a subscription is declined, frozen or cancelled from the right state only, and expires after two days',
  async t => {
    const { create, press, statuses, now, shop } = await opened(t)
    const declined = await create()
    t.equal((await press(`billing/${declined.id}/decline`)).statusCode, 303)
    t.equal((await press(`billing/${declined.id}/approve`)).statusCode, 409)
    const expired = await create({ plan_id: 'late' })
    now.at = new Date(now.at.getTime() + 2 * day - 1)
    t.match(await statuses(), ['late PENDING', /DECLINED/])
    now.at = new Date(now.at.getTime() + 1)
    t.equal((await press(`billing/${expired.id}/approve`)).statusCode, 409)
    t.match(
      (await shop.app.inject(`/admin/billing/${expired.id}`)).body,
      'This subscription is expired',
    )
    const active = await create({ plan_id: 'kept' })
    t.equal((await press(`billing/${active.id}/freeze`)).statusCode, 409, 'it is not approved yet')
    for (const step of ['approve', 'freeze', 'unfreeze', 'cancel'])
      t.equal((await press(`billing/${active.id}/${step}`)).statusCode, 303, step)
    for (const step of ['approve', 'freeze', 'unfreeze', 'cancel'])
      t.equal(
        (await press(`billing/${active.id}/${step}`)).statusCode,
        409,
        `${step} after the end`,
      )
    t.equal((await press('billing/none/approve')).statusCode, 404)
    t.equal(
      (await press(`billing/${active.id}/approve`, { origin: 'https://evil.example' })).statusCode,
      403,
    )
  },
)

t.test('a running trial can be made longer', async t => {
  const { create, press, api, all, now, at } = await opened(t)
  const { id } = await create({ trial_days: 3 })
  await press(`billing/${id}/approve`)
  t.equal((await api('PUT', `app_subscriptions/${id}/trial`, { days: 4 })).statusCode, 200)
  t.match(await all(), [{ trial_ends_at: at(7), current_period_ends_at: at(7) }])
  t.equal((await api('PUT', `app_subscriptions/${id}/trial`, { days: 0 })).statusCode, 422)
  now.at = new Date(now.at.getTime() + 7 * day)
  t.equal((await api('PUT', `app_subscriptions/${id}/trial`, { days: 1 })).statusCode, 409)
})

t.test('a wrong request is refused, and the answer names the field', async t => {
  const { api } = await opened(t)
  for (const [field, over] of [
    ['plan_id', { plan_id: 'a b' }],
    ['name', { name: '' }],
    ['price', { price: 'free' }],
    ['trial_days', { trial_days: 'x' }],
    ['interval', { interval: 'DAILY' }],
    ['replacement_behavior', { replacement_behavior: '' }],
    ['return_path', { return_path: '//evil.example' }],
    ['return_path', { return_path: 'https://evil.example' }],
    ['discount', { discount: { percentage: 101 } }],
    ['discount', { discount: { amount: 0 } }],
  ] as const)
    t.match(
      (await api('POST', 'app_subscriptions.json', { ...asked, ...over })).json(),
      { fields: [{ field }] },
      JSON.stringify(over),
    )
})

t.test(
  'after an uninstall the app’s access is refused, its script and subscriptions are gone, and the admin offers to install it',
  async t => {
    const { shop, api, press, all, create } = await opened(t, true)
    await create()
    await shop.app.inject({
      method: 'PUT',
      url: '/admin/api/script',
      headers: { ...bearer, 'content-type': 'text/javascript' },
      payload: '1',
    })
    t.match((await shop.app.inject('/')).body, '/assets/twinshelf.js')
    t.equal((await press('apps/twinshelf/uninstall')).statusCode, 303)
    for (const path of ['shop.json', 'app_subscriptions.json', 'orders.json'])
      t.equal((await api('GET', path)).statusCode, 401, path)
    t.equal(
      (await api('POST', 'uninstall')).statusCode,
      200,
      'an app that does not know yet may uninstall again',
    )
    t.notMatch((await shop.app.inject('/')).body, '/assets/twinshelf.js')
    t.equal((await shop.app.inject('/assets/twinshelf.js')).statusCode, 404)
    t.equal((await shop.app.inject('/admin/apps/twinshelf')).headers.location, '/admin/apps')
    t.match((await shop.app.inject('/admin/apps')).body, 'Install app')
    t.equal((await press('apps/twinshelf/install')).headers.location, '/admin/apps/twinshelf')
    t.same(
      (await all()).map(({ status }) => status),
      ['CANCELLED', 'CANCELLED'],
    )
    t.match((await shop.app.inject('/admin/apps')).body, 'Uninstall app')
  },
)

t.test('two days after an uninstall the shop asks the app once to erase what it knows', async t => {
  const told: string[] = []
  const app = Fastify()
  app.post('/webhooks/*', request => {
    told.push(String(request.headers['x-demo-topic']))
    return {}
  })
  t.teardown(() => app.close())
  const engineOrigin = await app.listen({ port: 0, host: '127.0.0.1' })
  const folder = temporaryFolder(t),
    now = { at: new Date() }
  const at = async (hours: number, act: (press: (path: string) => Promise<unknown>) => unknown) => {
    now.at = new Date(now.at.getTime() + hours * hour)
    const shop = await openShop(t, { dataDir: folder, engineOrigin, clock: () => now.at })
    await act(path => shop.app.inject({ method: 'POST', url: `/admin/apps/twinshelf/${path}` }))
    await shop.delivered()
    await shop.close()
    return told.splice(0).filter(topic => topic !== 'app_subscriptions/update')
  }
  t.same(await at(0, press => press('uninstall')), ['app/uninstalled'])
  t.same(await at(47, () => {}), [], 'not yet')
  t.same(await at(1, () => {}), ['shop/redact'])
  t.same(await at(1, press => press('redact')), [], 'once')
  const back = await at(1, async press => {
    await press('install')
    await press('uninstall')
    await press('install')
  })
  t.same(back, ['app/uninstalled'])
  t.same(await at(100, press => press('redact')), [], 'an app that is installed again is not asked')
  t.same((await at(0, press => press('uninstall').then(() => press('redact')))).sort(), [
    'app/uninstalled',
    'shop/redact',
  ])
})
