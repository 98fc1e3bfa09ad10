import type { IncomingMessage, ServerResponse } from 'node:http'
import { sql } from 'kysely'
import t from 'tap'
import { add } from '../../../engine/jobs/queue.ts'
import { launchedFrom } from '../support/launched.ts'
import { like } from '../support/like.ts'
import { seedTest } from '../support/seeds.ts'
import { holdRequests } from '../support/shops/held-requests.ts'
import { firstShop } from '../support/small-shop.ts'
import { startWithShop, withAllChanges } from '../support/with-shop.ts'

const { engine, call, db, now, shop, shopOrigin, platform, merchant, close } = await startWithShop(
  {},
  {},
  withAllChanges,
)
t.teardown(close)
const { id: store, themeId: live } = await call('storeInfo', {})
const themeId = live!
const apply = (id: string, arm: 'control' | 'variant' = 'variant') =>
  call('applyTest', { params: { id }, body: { arm } })
/** Runs the check, also if it began by itself while the shop failed and was put off by a minute. */
const check = () => {
  now.at = new Date(now.at.getTime() + 60_000)
  return engine.runJobs()
}
const body = async (name: string) =>
  (await platform.themeFiles(firstShop, themeId, [name]))[0]?.body ?? null
const products = (
  await platform.searchProducts(firstShop, { query: '', direction: 'forward', pageSize: 2 })
).items
const prices = async () =>
  (
    await platform.productsById(
      firstShop,
      products.map(({ id }) => id),
    )
  ).flatMap(({ variants }) => variants.map(({ price }) => price))
const redirects = () => platform.urlRedirects(firstShop)

t.test('a switch that fails half way keeps the winner that was applied before', async t => {
  const before = await redirects()
  const test = await seedTest(db, store, {
    kind: 'UrlRedirect',
    control_url: '/pages/gift-guide',
    redirect_url: '/pages/about?from=test',
    pages: '["/pages/gift-guide"]',
  })
  await apply(test)
  await engine.runJobs()
  const { server } = shop.app,
    emit = server.emit.bind(server)
  server.emit = (name: string, ...given: unknown[]) => {
    const [request, response] = given as [IncomingMessage, ServerResponse]
    if (name !== 'request' || request.method !== 'DELETE') return emit(name, ...given)
    response.writeHead(503).end()
    return true
  }
  t.teardown(() => {
    server.emit = emit
  })
  await t.rejects(apply(test, 'control'), like({ status: 502 }))
  server.emit = emit
  await check()
  t.match(await call('test', { params: { id: test } }), { appliedArm: 'variant' })
  t.match(
    (await fetch(`${shopOrigin}/pages/gift-guide`, { redirect: 'manual' })).headers.get('location'),
    '/pages/about?from=test',
    'also after the check that undoes open changes',
  )
  await apply(test, 'control')
  t.same(await redirects(), before)
})

t.test(
  'applying the variant after the control leaves nothing behind if it fails half way',
  async t => {
    const { id } = await call('createDraft', { body: { kind: 'Price', title: 'Both dearer' } })
    for (const product of products)
      await call('createTestProduct', {
        body: { testDraftId: id, productId: product.id, rule: { kind: 'amount', value: 250 } },
      })
    const test = await launchedFrom(db, store, id)
    const before = await prices()
    await apply(test, 'control')
    await engine.runJobs()
    const { server } = shop.app,
      emit = server.emit.bind(server)
    let written = 0
    server.emit = (name: string, ...given: unknown[]) => {
      const [request, response] = given as [IncomingMessage, ServerResponse]
      if (name !== 'request' || request.method === 'GET' || ++written === 1)
        return emit(name, ...given)
      response.writeHead(503).end()
      return true
    }
    t.teardown(() => {
      server.emit = emit
    })
    await t.rejects(apply(test), like({ status: 502 }))
    server.emit = emit
    t.equal(written, 2, 'the first product had the variant’s price already')
    t.not(await prices(), before)
    await check()
    t.match(await call('test', { params: { id: test } }), { appliedArm: 'control' })
    t.same(await prices(), before)
  },
)

t.test(
  'applying control to a page that the merchant has edited keeps the copy of the original, and says so',
  async t => {
    const { id } = await call('createDraft', {
      body: { kind: 'Template', title: 'Another home page' },
    })
    await call('setControl', { params: { id }, body: { type: 'home', suffix: '' } })
    const { variant } = await call('setVariant', { params: { id }, body: {} })
    const test = await launchedFrom(db, store, id),
      original = await body('templates/index.json')
    const shown = JSON.stringify({ ...JSON.parse(original!), order: [] })
    await merchant.writeThemeFiles(firstShop, themeId, [
      { name: `templates/index.${variant!.suffix}.json`, body: shown },
    ])
    await apply(test)
    const copy = `templates/index.before-${now.at.toISOString().slice(0, 10)}.json`
    t.equal(await body(copy), original)
    const edited = JSON.stringify({ ...JSON.parse(shown), name: 'By hand' })
    await merchant.writeThemeFiles(firstShop, themeId, [
      { name: 'templates/index.json', body: edited },
    ])
    const { appliedArm, events } = await apply(test, 'control')
    t.equal(appliedArm, 'control')
    t.equal(await body('templates/index.json'), edited, 'the merchant’s edit stays')
    t.equal(await body(copy), original, 'so does the only copy of the original')
    t.match(
      events.at(-1)!.detail,
      /^Control applied, but not to what was changed in the shop since: Template home of theme [^,]*, Template home\.ts-\w+ of theme \w+$/,
    )
  },
)

/** Holds the next requests that write into the shop. `asked` settles at the first of them. */
const holdWrites = () => {
  const asked = Promise.withResolvers<void>()
  const release = holdRequests(shop.app, ({ method }) => {
    if (method === 'GET') return false
    asked.resolve()
    return true
  })
  return { asked: asked.promise, release }
}
const leaseOf = async (id: string) => {
  const { rows } = await sql<{
    runs: boolean
  }>`select applying_until > now() as runs from tests where test_id = ${id}`.execute(db.kysely)
  return rows[0]!.runs ? 'runs' : 'over'
}
const endLease = (id: string) =>
  db.kysely
    .updateTable('tests')
    .set({ applying_until: new Date(0) })
    .where('test_id', '=', id)
    .execute()

t.test('an application that was taken for dead but lives is finished once', async t => {
  const before = await redirects()
  const test = await seedTest(db, store, {
    kind: 'UrlRedirect',
    control_url: '/pages/gift-guide',
    redirect_url: '/pages/about?from=test',
    pages: '["/pages/gift-guide"]',
  })
  await apply(test)
  await check()
  const { asked, release } = holdWrites()
  const applying = apply(test, 'control')
  await asked
  await endLease(test)
  await add(db.kysely, { storeId: store, kind: 'testCheck', key: 'testCheck' }, now.at)
  const checking = engine.runJobs()
  // The check takes the application over, and waits until the shop is settled.
  while ((await leaseOf(test)) === 'over');
  release()
  const { events } = await applying
  await checking
  t.same(await redirects(), before)
  const after = await call('test', { params: { id: test } })
  t.match(after, { appliedArm: 'control', events })
  t.equal(after.events.filter(({ detail }) => detail === 'Control applied').length, 1)
})

t.test('an application of control keeps its lease from step to step', async t => {
  const { id } = await call('createDraft', { body: { kind: 'Template', title: 'Products' } })
  await call('setControl', { params: { id }, body: { type: 'product', suffix: '' } })
  await call('setVariant', { params: { id }, body: {} })
  const test = await launchedFrom(db, store, id)
  await apply(test)
  const first = holdWrites()
  const applying = apply(test, 'control')
  await first.asked
  await endLease(test)
  first.release()
  const second = holdWrites()
  await second.asked
  t.equal(await leaseOf(test), 'runs')
  second.release()
  t.match(await applying, { appliedArm: 'control' })
})

t.test('an interrupted application is finished once the shop answers again', async t => {
  const before = await redirects()
  const test = await seedTest(db, store, {
    kind: 'UrlRedirect',
    control_url: '/pages/gift-guide',
    redirect_url: '/pages/about?from=test',
    pages: '["/pages/gift-guide"]',
    ended_at: now.at,
    applying_arm: 'variant',
    applying_until: new Date(0),
  })
  const { server } = shop.app,
    emit = server.emit.bind(server)
  server.emit = (name: string, ...given: unknown[]) => {
    if (name !== 'request') return emit(name, ...given)
    const [, response] = given as [IncomingMessage, ServerResponse]
    response.socket!.destroy()
    return true
  }
  t.teardown(() => {
    server.emit = emit
  })
  await add(db.kysely, { storeId: store, kind: 'testCheck', key: 'testCheck' }, now.at)
  await engine.runJobs()
  server.emit = emit
  await check()
  t.match(await call('test', { params: { id: test } }), { appliedArm: null }, 'the lease runs')
  await endLease(test)
  now.at = new Date(now.at.getTime() + 2 * 60_000)
  await engine.runJobs()
  t.match(await call('test', { params: { id: test } }), { appliedArm: 'variant' })
  await apply(test, 'control')
  t.same(await redirects(), before)
})
