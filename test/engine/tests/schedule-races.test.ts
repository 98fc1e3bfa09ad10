import t from 'tap'
import { seedTest } from '../support/seeds.ts'
import { holdRequests } from '../support/shops/held-requests.ts'
import { startWithShop } from '../support/with-shop.ts'

const { engine, shop, db, now, call, close } = await startWithShop()
t.teardown(close)
const { id: store } = await call('storeInfo', {})
const hour = 3_600_000
const inHours = (hours: number) => new Date(now.at.getTime() + hours * hour)

t.test('a start that is moved while the shop is asked in vain comes at its new time', async t => {
  const target = (suffix: string) =>
    JSON.stringify({
      templateType: 'product',
      suffix,
      themeId: null,
      url: null,
      isOurs: false,
      hash: null,
    })
  const id = await seedTest(db, store, {
    kind: 'Template',
    status: 'Scheduled',
    start_at: null,
    launch_at: inHours(2),
    control_target: target(''),
    variant_target: target('story'),
  })
  const status = async () => (await call('test', { params: { id } })).status
  const moveTo = (at: Date) =>
    call('scheduleTest', { params: { id }, body: { launchAt: at.toISOString() } })
  const first = inHours(1)
  await moveTo(first)
  now.at = first
  // The merchant signs in again while the shop still answers.
  await call('storeInfo', {})

  const asked = Promise.withResolvers<void>()
  const release = holdRequests(shop.app, ({ url }) => {
    if (!url!.startsWith('/admin/api/themes')) return false
    asked.resolve()
    return true
  })
  const attempt = engine.runJobs()
  await asked.promise
  const tomorrow = inHours(24)
  await moveTo(tomorrow)
  // The question that is held gets no answer.
  shop.app.server.closeAllConnections()
  await attempt
  release()

  now.at = new Date(first.getTime() + 60_000)
  await engine.runJobs()
  t.equal(await status(), 'Scheduled')
  now.at = tomorrow
  await engine.runJobs()
  t.equal(await status(), 'Active')
})
