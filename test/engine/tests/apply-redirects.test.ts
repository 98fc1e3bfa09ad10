import { randomUUID } from 'node:crypto'
import t from 'tap'
import { type Capabilities, richest } from '../../../domain/platform/capabilities.ts'
import { lackOf } from '../../../domain/platform/kind-needs.ts'
import { scriptTests } from '../../../engine/script/script-tests.ts'
import { caller, refusal } from '../support/engine.ts'
import { startLaunchShop } from '../support/shops/launch-shop.ts'
import { turnScriptOn } from '../support/shops/script-on.ts'
import { firstShop } from '../support/small-shop.ts'

const { call, db, shop, shopOrigin, platform, engine, store, draft, line, launch, idToken, now } =
  await startLaunchShop(t)
/** A shop whose own redirects work only where it has no page. */
let names = 0
async function can(redirects: Capabilities['redirects']): Promise<void> {
  shop.capabilities.set({ ...richest, redirects })
  turnScriptOn(shop)
  // The shop tells the engine of a change, which then asks again what it can do.
  await shop.app.inject({
    method: 'POST',
    url: '/admin/settings',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `name=Fern+${++names}&email=fern%40fern.example`,
  })
  await shop.delivered()
}
t.beforeEach(() => can('missingPages'))
const guide = '/pages/gift-guide',
  guide2026 = '/pages/gift-guide-2026'
const redirect = (title: string, controlUrl: string, redirectUrl: string) =>
  draft({ kind: 'UrlRedirect', title, controlUrl, redirectUrl })
const running = async (...of: Parameters<typeof redirect>) =>
  (await launch(await redirect(...of))).testId
const apply = async (id: string, arm: 'control' | 'variant' = 'variant') => {
  now.at = new Date(now.at.getTime() + 1000)
  return call('applyTest', { params: { id }, body: { arm } })
}
const end = (id: string) => call('updateTest', { params: { id }, body: { status: 'Ended' } })
const test = (id: string) => call('test', { params: { id } })
const dialog = (id: string, arm: 'control' | 'variant' = 'variant') =>
  call('applyLack', { params: { id }, query: { arm } })
const sent = async () =>
  (await scriptTests(db.kysely, store, now.at)).tests.flatMap(({ id, pages, sent }) =>
    sent === undefined ? [] : [`${id}${pages.join()} → ${sent}`],
  )
const inShop = async () => (await platform.urlRedirects(firstShop)).map(({ path }) => path)
const journalled = async () =>
  (await db.kysely.selectFrom('journal').select('seq').execute()).length
const messageOf = async (work: Promise<unknown>) => {
  const { status, problem } = await refusal(work)
  return `${status} ${problem.fields?.[0]?.message ?? problem.message}`
}
const remains = 'Search engines and visitors without scripts still get the control’s page.'

t.test('where the shop does not redirect pages, the script does, and control ends it', async t => {
  for (const [redirects, need] of [
    ['missingPages', 'redirectsOverPages'],
    ['none', 'redirects'],
  ] as const) {
    await can(redirects)
    const lack = lackOf(need, { ...richest, redirects })!
    const id = await redirect('Guide', guide, guide2026)
    t.match(await line(id, 'shop'), {
      tone: 'warn',
      message: `${lack.reason} If the variant wins, our script sends everyone to its page.`,
      remedy: `${remains} ${lack.remedy}`,
    })
    const { testId } = await launch(id)
    t.same(await dialog(testId), { lack: null, byScript: lack })
    t.same(await sent(), [])
    const before = await journalled()
    const applied = await apply(testId)
    t.match(applied, { status: 'Ended', appliedArm: 'variant', sendsByScript: true })
    t.equal(
      applied.events.at(-1)!.detail,
      `Variant applied, by our script. ${remains}`.slice(0, -1),
    )
    t.same(await sent(), [`${guide} → ${guide2026}`])
    const script = await (await fetch(`${shopOrigin}/assets/twinshelf.js`)).text()
    t.match(script, `sent:"${guide2026}"`)
    t.same(await inShop(), [], 'the shop is unchanged')
    t.equal(await journalled(), before)
    t.equal((await apply(testId)).events.length, applied.events.length, 'applied once')
    t.match(await messageOf(call('deleteTest', { params: { id: testId } })), /^409 .*Apply control/)
    t.same(await dialog(testId, 'control'), { lack: null, byScript: null })
    const undone = await apply(testId, 'control')
    t.match(undone, { appliedArm: 'control' })
    t.notOk(undone.sendsByScript)
    t.same(await sent(), [])
    t.notMatch(await (await fetch(`${shopOrigin}/assets/twinshelf.js`)).text(), 'sent:')
    await call('deleteTest', { params: { id: testId } })
  }
})

t.test(
  'a shop that redirects every address, or has no such page any more, does it itself',
  async t => {
    await can('always')
    const everywhere = await running('Guide', guide, guide2026)
    t.same(await dialog(everywhere), { lack: null, byScript: null })
    t.notOk((await apply(everywhere)).sendsByScript)
    t.same([await inShop(), await sent()], [[guide], []])
    await apply(everywhere, 'control')
    await can('missingPages')
    const gone = await running('Guide', guide, guide2026)
    await db.kysely
      .updateTable('tests')
      .set({ control_url: '/pages/no-such-page' })
      .where('test_id', '=', gone)
      .execute()
    t.same(await dialog(gone), { lack: null, byScript: null })
    t.notOk((await apply(gone)).sendsByScript)
    t.same([await inShop(), await sent()], [['/pages/no-such-page'], []])
    await apply(gone, 'control')
    t.same(await inShop(), [])
  },
)

t.test(
  'of two winners of one page the newest is followed, and undoing it restores the other',
  async t => {
    const first = await running('First', guide, guide2026)
    await end(first)
    const second = await running('Second', guide, '/pages/about')
    await apply(second)
    await apply(first)
    t.same(await sent(), [`${guide} → ${guide2026}`, `${guide} → /pages/about`])
    await apply(first, 'control')
    t.same(await sent(), [`${guide} → /pages/about`])
    await apply(second, 'control')
  },
)

t.test('no test uses a page that sends its visitors on, so nothing leads in a circle', async t => {
  const other = await running('Shipping', '/pages/shipping', guide)
  const ended = await running('Back', guide2026, guide)
  await end(ended)
  const id = await running('Guide', guide, guide2026)
  await apply(id)
  const said = `The applied test “Guide” sends the visitors of ${guide} to ${guide2026}.`
  for (const [control, variant] of [
    [guide, '/pages/about'],
    ['/pages/about', `${guide}?a=1`],
  ] as const) {
    const next = await redirect('Next', control, variant)
    t.match(await line(next, 'redirect'), {
      tone: 'bad',
      message: `sends the visitors of ${guide}`,
    })
    t.match(await messageOf(launch(next)), / Enter \/pages\/gift-guide-2026 instead\.$/)
  }
  t.equal(
    await messageOf(call('validateRedirectUrl', { query: { redirectUrl: guide } })),
    `400 ${said} Enter ${guide2026} instead.`,
  )
  // A running test that leads there is put on hold at once, with the reason.
  await engine.runJobs()
  t.match(await test(other), { status: 'OnHold', holdCause: { cause: 'pageGone', message: said } })
  // An application that would close the circle is refused, and changes nothing.
  t.match(await messageOf(apply(ended)), `409 ${said} Apply the control of that test first.`)
  t.match(await test(ended), { appliedArm: null })
  t.same(await sent(), [`${guide} → ${guide2026}`])
  await apply(id, 'control')
  await call('endAllTests', { body: { priceTestsOnly: false } })

  const ahead = await running('Ahead', guide2026, guide)
  const late = await redirect('Late', guide, guide2026)
  t.match(await messageOf(launch(late)), /“Ahead” leads from there back/)
  await end(ahead)
  const { testId } = await launch(late)
  t.match(await messageOf(apply(ahead)), /^409 “Late” leads from there back .* End that test first/)
  await apply(testId)
  t.match(await messageOf(apply(ahead)), /^409 .*Apply the control of that test first/)
  await apply(testId, 'control')
})

t.test('a winner that is replaced by a later one leads to the last page at once', async t => {
  const first = await running('First', guide, guide2026)
  await apply(first)
  const second = await running('Second', guide2026, '/pages/about')
  await apply(second)
  t.same(await sent(), [`${guide2026} → /pages/about`, `${guide} → /pages/about`])
  await apply(second, 'control')
  t.same(await sent(), [`${guide} → ${guide2026}`])
  await apply(first, 'control')
})

t.test('an application that a crash interrupted is finished by the script too', async t => {
  const id = await running('Guide', guide, guide2026)
  await end(id)
  await db.kysely
    .updateTable('tests')
    .set({ applying_arm: 'variant', applying_until: new Date(0) })
    .where('test_id', '=', id)
    .execute()
  await db.kysely
    .insertInto('jobs')
    .values({
      store_id: store,
      job_id: randomUUID(),
      kind: 'testCheck',
      key: 'crash',
      payload: '{}',
      state: '{}',
      message: null,
      run_at: now.at,
      created_at: now.at,
      updated_at: now.at,
    })
    .execute()
  await engine.runJobs()
  t.match(await test(id), { appliedArm: 'variant', sendsByScript: true })
  t.same(await sent(), [`${guide} → ${guide2026}`])
  await apply(id, 'control')
})

t.test(
  'an uninstall ends it and names it; after a reinstall it is off until switched on',
  async t => {
    const id = await running('Guide', guide, guide2026)
    await apply(id)
    t.match((await call('tests', { query: {} })).scriptWinners, [{ id, isOn: true }])
    await call('uninstall', { params: { id: store }, body: { category: 'other', reason: '' } })
    await engine.runJobs()
    const last = await call('lastUninstall', { params: { id: store } })
    t.same([last?.ended, last?.kept], [['Guide'], []])
    await shop.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/install' })
    const { token } = await call('auth', { body: { idToken: await idToken() } })
    const again = caller(engine, () => token)
    t.match((await again('tests', { query: {} })).scriptWinners, [{ id, isOn: false }])
    t.same(await sent(), [])
    await again('applyTest', { params: { id }, body: { arm: 'variant' } })
    t.same(await sent(), [`${guide} → ${guide2026}`])
    await again('applyTest', { params: { id }, body: { arm: 'control' } })
    t.same(await sent(), [])
  },
)
