import t from 'tap'
import { addDue } from '../../../engine/operators/schedule.ts'
import { refusal } from '../support/engine.ts'
import { launchedFrom } from '../support/launched.ts'
import { seedTest } from '../support/seeds.ts'
import { shopperOf } from '../../demo-shop/support/demo-shop.ts'
import { startWithShop } from '../support/with-shop.ts'

const { engine, shop, shopOrigin, platform, db, now, call, close } = await startWithShop()
t.teardown(close)
const { id: store, shop: shopName } = await call('storeInfo', {})
const merchant = shopperOf(shop)
const [live, other] = ['160001', '160002']
const address = `${shopOrigin}/admin/themes#experiments`
const test = (id: string) => call('test', { params: { id } })
const told = async () => {
  await shop.delivered()
  await engine.runJobs()
}
const themeDraft = async () => {
  const { id } = await call('createDraft', { body: { kind: 'Theme', title: 'A theme' } })
  await call('setControl', { params: { id }, body: { themeId: live } })
  await call('setVariant', { params: { id }, body: { themeId: other } })
  return id
}
const lineOf = async (id: string) =>
  (await call('draftChecks', { params: { id } })).checks.find(({ name }) => name === 'experiments')

t.test('the merchant starts and ends experiments of the shop’s own', async t => {
  const start = (name: string, theme = other) =>
    merchant.form('/admin/experiments', { name, theme })
  shop.capabilities.set({ nativeExperiments: false })
  t.notMatch((await merchant.get('/admin/themes')).body, 'id="experiments"')
  t.equal((await start('New look')).statusCode, 422, 'not offered')
  shop.capabilities.set({ nativeExperiments: true })
  t.match((await merchant.get('/admin/themes')).body, 'id="experiments"')
  t.equal((await start('')).statusCode, 422)
  t.equal((await start('New look', '9')).statusCode, 404)
  t.equal((await start('New look')).statusCode, 303)
  const [running, ...none] = await platform.nativeExperiments(shopName)
  t.match(running, { name: 'New look', themeIds: [other], address, since: now.at.toISOString() })
  t.same(none, [])
  t.match((await merchant.get('/admin/themes')).body, /New look<\/td><td>Harbour/)
  await merchant.form(`/admin/experiments/${running!.id}/end`, {})
  t.same(await platform.nativeExperiments(shopName), [])
  t.equal((await merchant.form(`/admin/experiments/${running!.id}/end`, {})).statusCode, 404)
})

t.test('a launch over its theme is refused; other tests are warned', async t => {
  const id = await themeDraft()
  t.equal(await lineOf(id), undefined)
  const { id: experiment } = shop.experiments.start('New look', other)
  t.match(await lineOf(id), {
    tone: 'bad',
    message: /experiment of its own.*“New look”/,
    fixAt: address,
  })
  t.match(await refusal(call('launchDraft', { params: { id } })), {
    status: 400,
    problem: { fields: [{ field: 'experiments', message: /End it in your shop/ }] },
  })
  const { id: page } = await call('createDraft', { body: { kind: 'PageElement', title: 'A' } })
  t.equal(await lineOf(page), undefined, 'it is not over the live theme')
  const { id: onLive } = shop.experiments.start('Live look', live)
  t.match(await lineOf(page), { tone: 'warn', message: /“Live look”/ })
  shop.experiments.end(onLive)
  shop.experiments.end(experiment)
  t.equal(await lineOf(id), undefined)
})

t.test('a running theme test is on hold while it runs, and resumes by itself', async t => {
  const id = await launchedFrom(db, store, await themeDraft(), {
    start_at: now.at,
    live_theme_id: live,
  })
  const page = await seedTest(db, store, { start_at: now.at })
  const experiment = shop.experiments.start('New look', other)
  await told()
  t.match(await test(id), {
    status: 'OnHold',
    holdCause: { cause: 'nativeExperiment', message: /“New look”/, fixAt: address },
  })
  t.equal((await test(page)).status, 'Active')
  t.match(await call('resumeOnHold', { body: {} }), { refused: [{ message: /“New look”/ }] })
  await call('updateTest', { params: { id: page }, body: { status: 'Ended' } })
  shop.experiments.end(experiment.id)
  await shop.delivered()
  await db.kysely.deleteFrom('jobs').execute()
  now.at = new Date(now.at.getTime() + 10 * 60_000)
  await addDue(db, now.at)
  await engine.runJobs()
  t.match(await test(id), { status: 'Active' }, 'the regular look finds it without the webhook')
})
