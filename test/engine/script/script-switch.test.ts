import t from 'tap'
import { addDue } from '../../../engine/operators/schedule.ts'
import { themeTarget } from '../../../domain/tests/test-target.ts'
import { refusal } from '../support/engine.ts'
import { seedTest } from '../support/seeds.ts'
import { startWithShop } from '../support/with-shop.ts'

const { engine, shop, shopOrigin, platform, merchant, db, now, call, close } = await startWithShop()
t.teardown(close)
const { id: store, shop: shopName } = await call('storeInfo', {})
const themes = await platform.themes(shopName)
const live = themes.find(({ role }) => role === 'live')!,
  other = themes.find(({ role }) => role !== 'live')!
const switchOf = (themeId: string) => `${shopOrigin}/admin/themes/${themeId}#app-script`
const test = (id: string) => call('test', { params: { id } })
/** Lets the app hear what was changed in the shop, and does what follows. */
const told = async () => {
  await shop.delivered()
  await engine.runJobs()
}
const start = async () => (await call('tests', { query: {} })).start

t.test('a running test is on hold while the script is off, and resumes by itself', async t => {
  const running = await seedTest(db, store, { start_at: now.at })
  const paused = await seedTest(db, store, { start_at: now.at })
  await call('updateTest', { params: { id: paused }, body: { status: 'Paused' } })
  t.match(await start(), { scriptSwitchAt: null })
  shop.capabilities.set({ scriptWay: 'switch' })
  for (const { id } of themes) shop.scriptSwitches.set(id, false)
  await told()
  const held = await test(running)
  t.match(held, {
    status: 'OnHold',
    holdCause: { cause: 'scriptOff', message: /switched off/, fixAt: switchOf(live.id) },
  })
  t.equal((await test(paused)).status, 'Paused')
  t.match(await start(), { script: false, scriptSwitchAt: switchOf(live.id) })
  t.match(await call('newOnHold', { query: {} }), {
    tests: [{ id: running, holdCause: { fixAt: switchOf(live.id) } }],
  })
  t.match(
    await call('resumeOnHold', { body: {} }),
    { resumed: [], refused: [{ message: /switched off.*Turn it on/ }] },
    'nor by the merchant',
  )
  await told()
  t.equal((await test(running)).events.length, held.events.length, 'its history says it once')

  shop.scriptSwitches.set(live.id, true)
  await told()
  const resumed = await test(running)
  t.match(resumed, { status: 'Active', holdCause: null })
  t.match(resumed.events.at(-1), { kind: 'Start', detail: 'Resumed' })
  t.equal((await test(paused)).status, 'Paused')
  t.match(await start(), { scriptSwitchAt: null })
  await call('endAllTests', { body: { priceTestsOnly: false } })
})

t.test('the regular look finds a switch without a webhook', async t => {
  const running = await seedTest(db, store, { start_at: now.at })
  const look = async () => {
    now.at = new Date(now.at.getTime() + 10 * 60_000)
    await addDue(db, now.at)
    await engine.runJobs()
  }
  shop.scriptSwitches.set(live.id, false)
  await shop.delivered()
  await db.kysely.deleteFrom('jobs').execute()
  await look()
  t.match(await test(running), { status: 'OnHold', holdCause: { cause: 'scriptOff' } })
  shop.scriptSwitches.set(live.id, true)
  await shop.delivered()
  await db.kysely.deleteFrom('jobs').execute()
  await look()
  t.match(await test(running), { status: 'Active' }, 'no test was running, but one was waiting')
  await call('endAllTests', { body: { priceTestsOnly: false } })
})

t.test('another theme that is published has its own switch; so has the variant’s', async t => {
  const target = (id: string) => JSON.stringify({ ...themeTarget(id), hash: null })
  const id = await seedTest(db, store, {
    kind: 'Theme',
    start_at: now.at,
    live_theme_id: live.id,
    control_target: target(live.id),
    variant_target: target(other.id),
  })
  shop.scriptSwitches.set(live.id, false)
  await told()
  t.match(await test(id), { holdCause: { fixAt: switchOf(live.id) } })
  shop.scriptSwitches.set(live.id, true)
  await told()
  t.match(await test(id), {
    status: 'OnHold',
    holdCause: { cause: 'scriptOff', message: new RegExp(other.name), fixAt: switchOf(other.id) },
  })
  shop.scriptSwitches.set(other.id, true)
  await told()
  t.match(await test(id), { status: 'Active' })
  await call('endAllTests', { body: { priceTestsOnly: false } })

  const running = await seedTest(db, store, { start_at: now.at })
  shop.scriptSwitches.set(other.id, false)
  await merchant.publishTheme(shopName, other.id)
  await told()
  t.match(await test(running), { status: 'OnHold', holdCause: { fixAt: switchOf(other.id) } })
  await merchant.publishTheme(shopName, live.id)
  await told()
  t.match(await test(running), { status: 'Active' })
  await call('endAllTests', { body: { priceTestsOnly: false } })
})

t.test('a launch is refused while the script is off, and says where to turn it on', async t => {
  const { id } = await call('createDraft', { body: { kind: 'Theme', title: 'A theme' } })
  await call('setControl', { params: { id }, body: { themeId: live.id } })
  await call('setVariant', { params: { id }, body: { themeId: other.id } })
  const line = async () =>
    (await call('draftChecks', { params: { id } })).checks.find(({ name }) => name === 'script')
  shop.scriptSwitches.set(other.id, false)
  t.match(await line(), { tone: 'bad', message: /variant’s theme/, fixAt: switchOf(other.id) })
  shop.scriptSwitches.set(live.id, false)
  t.match(await line(), { tone: 'bad', message: /switched off/, fixAt: switchOf(live.id) })
  t.match(await refusal(call('launchDraft', { params: { id } })), {
    status: 400,
    problem: { fields: [{ field: 'script', message: /Turn it on/ }] },
  })
  shop.scriptSwitches.set(live.id, true)
  shop.scriptSwitches.set(other.id, true)
  t.not((await line())?.tone, 'bad')
  shop.capabilities.set({ scriptWay: 'uploaded' })
  const uploaded = await line()
  t.not(uploaded?.tone, 'bad')
  t.equal(uploaded?.fixAt, undefined)
})
