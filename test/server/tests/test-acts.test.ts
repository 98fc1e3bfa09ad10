import t from 'tap'
import { holdCause } from '../../../domain/tests/hold-cause.ts'
import { launchedFrom } from '../../engine/support/launched.ts'
import { seedTest } from '../../engine/support/seeds.ts'
import { seedSummary } from '../../engine/support/summaries.ts'
import { firstShop } from '../../engine/support/small-shop.ts'
import { textOf } from '../support/merchant.ts'
import { startShopMerchant } from '../support/shop-merchant.ts'

const { engine, call, db, now, shop, shopOrigin, platform, storeId, put, later, get, post, close } =
  await startShopMerchant()
t.teardown(close)
await put({
  plan_id: 'advanced-100k-monthly',
  subscription_status: 'Active',
  has_subscribed: true,
  onboarded: true,
  feature_flags: '["DomTesting","PriceTesting"]',
})
const { themeId } = await call('storeInfo', {})
const testOf = (id: string) => call('test', { params: { id } })
const seed = async (over: Parameters<typeof seedTest>[2]) => {
  const id = await seedTest(db, storeId, { start_at: now.at, ...over })
  await seedSummary(db, storeId, id, [120, 130])
  later()
  return id
}
const redirect = {
  kind: 'UrlRedirect' as const,
  control_url: '/pages/gift-guide',
  redirect_url: '/pages/about',
  pages: '["/pages/gift-guide"]',
}
/** The HTML of the dialog that is open when the page loads. */
const dialogBody = (body: string): string =>
  /<dialog id="[\w-]+"[^>]* open[^>]*>[\s\S]*?<\/dialog>/.exec(body)?.[0] ?? ''
const dialogOf = (body: string): string => textOf(dialogBody(body))
const ask = async (id: string, what: string) =>
  dialogOf((await get(`/tests/${id}?ask=${what}`)).body)

t.test('applying first says what it changes, then changes the shop, and can be undone', async t => {
  const id = await seed({ ...redirect, title: 'Shorter guide' })
  t.match(textOf((await get(`/tests/${id}`)).body), 'End and apply variant… End and apply control…')
  t.match(
    await ask(id, 'apply-variant'),
    /End and apply variant of Shorter guide\? What changes in your shop: This test has no winner yet: .* The test ends first: .* The shop itself sends everyone from \/pages\/gift-guide to \/pages\/about\. “Apply control” undoes it/,
  )
  t.equal((await post(`/tests/${id}/apply`, { arm: 'variant' })).headers.location, `/tests/${id}`)
  t.equal(
    (await fetch(`${shopOrigin}/pages/gift-guide`, { redirect: 'manual' })).headers.get('location'),
    '/pages/about',
  )
  later()
  const applied = textOf((await get(`/tests/${id}`)).body)
  t.match(applied, /Variant applied \d+ \w+ \d{4}/, 'the page says when it was applied')
  t.match(applied, 'Variant applied.', 'a toast says it once')
  t.match(
    await ask(id, 'apply-control'),
    'We delete the redirect, so /pages/gift-guide is shown again.',
  )
  t.equal(await ask(id, 'apply-variant'), '', 'an applied variant has no dialog to apply it')
  const both = await Promise.all([
    post(`/tests/${id}/apply`, { arm: 'control' }),
    post(`/tests/${id}/apply`, { arm: 'control' }),
  ])
  t.same(
    both.map(each => each.statusCode),
    [303, 303],
    'a double click applies once',
  )
  t.equal((await fetch(`${shopOrigin}/pages/gift-guide`, { redirect: 'manual' })).status, 200)
  t.same(
    (await testOf(id)).events
      .filter(each => / applied/.test(each.detail ?? ''))
      .map(each => each.detail),
    ['Variant applied', 'Control applied'],
  )
  later()
  t.match(textOf((await get(`/tests/${id}`)).body), 'Variant undone, control applied')
})

t.test(
  'an arm that is gone is reported before and after the request, and the test keeps running',
  async t => {
    const id = await seed({ ...redirect, redirect_url: '/pages/nowhere' })
    t.match(
      await ask(id, 'apply-variant'),
      /The variant cannot be applied .*The shop has no page at \/pages\/nowhere/,
    )
    const refused = await post(`/tests/${id}/apply`, { arm: 'variant' })
    t.equal(refused.statusCode, 409)
    t.match(refused.body, 'role="alert"')
    t.match(textOf(refused.body), 'no longer in the shop')
    t.match(await testOf(id), { status: 'Active', appliedArm: null })
    t.equal((await post(`/tests/${id}/apply`, { arm: 'both' })).statusCode, 400)
    t.equal((await post(`/tests/${id}/apply`)).statusCode, 400)
    t.equal((await post(`/tests/${crypto.randomUUID()}/apply`, { arm: 'variant' })).statusCode, 404)
  },
)

t.test('an API test says who ships its winner, and has no button to apply it', async t => {
  const id = await seed({ kind: 'Api', title: 'By hand' })
  const { body } = await get(`/tests/${id}`)
  t.match(textOf(body), 'your developer ships the arm that won')
  t.notMatch(body, 'ask=apply')
  t.equal(await ask(id, 'apply-variant'), '')
  t.match(
    textOf((await post(`/tests/${id}/apply`, { arm: 'variant' })).body),
    'your developer ships',
  )
})

t.test('the dialog names the theme or the prices before they change', async t => {
  const other = (await platform.themes(firstShop)).find(theme => theme.id !== themeId)!
  const target = (theme: string) =>
    JSON.stringify({
      templateType: null,
      suffix: null,
      themeId: theme,
      url: null,
      isOurs: false,
      hash: null,
    })
  const theme = await seed({
    kind: 'Theme',
    control_target: target(themeId!),
    variant_target: target(other.id),
    live_theme_id: themeId,
    pages: '[]',
  })
  t.match(await ask(theme, 'apply-variant'), `The theme “${other.name}” is published`)
  await post(`/tests/${theme}/end`)
  const held = await seed({
    kind: 'Theme',
    status: 'OnHold',
    hold_cause: JSON.stringify(holdCause('themeGone')),
    control_target: target(themeId!),
    variant_target: target('999'),
    live_theme_id: themeId,
    pages: '[]',
  })
  const choices = (await get(`/tests/${held}?ask=variant`)).body
  t.match(choices, `<option value="${other.id}"`)
  t.notMatch(choices, `<option value="${themeId}"`, 'the live theme is no variant')
  const set = await post(`/tests/${held}/variant`, { choice: 'anew', themeId: other.id })
  t.match(textOf((await get(set.headers.location!)).body), 'The variant is set. Resume the test')
  t.match(await testOf(held), { variant: { themeId: other.id } })
  await post(`/tests/${held}/end`)
  const product = (
    await call('searchProducts', { params: { id: storeId }, query: { query: '', pageSize: 40 } })
  ).items.find(({ status, variants }) => status === 'active' && variants.length > 1)
  const { id: draft } = await call('createDraft', { body: { kind: 'Price', title: 'Dearer' } })
  await call('createTestProduct', {
    body: {
      testDraftId: draft,
      productId: product!.id,
      prices: [{ variantId: product!.variants[0]!.id, price: product!.variants[0]!.price + 100 }],
    },
  })
  const price = await launchedFrom(db, storeId, draft, { start_at: now.at })
  t.match(
    await ask(price, 'apply-variant'),
    /The prices of 1 product are set to the variant’s in the shop itself, for everyone\. What was not tested keeps its price\.(?! Prices)/,
  )
  await post(`/tests/${price}/end`)
  const raise = (by: number) =>
    platform.setPrices(
      firstShop,
      product!.id,
      product!.variants.map(({ id, price }) => ({ variantId: id, price: price + by })),
    )
  await raise(500)
  const dialog = await ask(price, 'apply-variant')
  t.match(
    dialog,
    /Prices that you have changed since are replaced, too: .* costs .* in the shop now; the control’s price is/,
  )
  t.equal(dialog.match(/in the shop now/g)?.length, 1, 'only the tested products are listed')
  await put({ feature_flags: '["DomTesting"]' })
  later()
  for (const arm of ['control', 'variant'])
    t.match(await ask(price, `apply-${arm}`), `Apply ${arm} of Dearer`, 'price testing is off')
  await put({ feature_flags: '["DomTesting","PriceTesting"]' })
  later()
  await raise(0)
  await shop.delivered()
})

t.test('a test on hold says why, gets its template back and continues', async t => {
  const { id: draft } = await call('createDraft', {
    body: { kind: 'Template', title: 'Story first' },
  })
  await call('setControl', { params: { id: draft }, body: { type: 'page', suffix: '' } })
  const { variant } = await call('setVariant', { params: { id: draft }, body: {} })
  const id = await launchedFrom(db, storeId, draft, { start_at: now.at })
  t.match(
    await ask(id, 'apply-variant'),
    new RegExp(`\\d+ pages? (is|are) assigned to the template page\\.${variant!.suffix}`),
  )
  await platform.deleteThemeFiles(firstShop, themeId!, [`templates/page.${variant!.suffix}.json`])
  await shop.delivered()
  await engine.runJobs()
  later()
  const held = textOf((await get(`/tests/${id}`)).body)
  t.match(
    held,
    /This test is on hold\. The live theme .* has no template page\..* Recreate the variant Resume/,
  )
  t.match(held, 'Put on hold')
  const still = await post(`/tests/${id}/resume`)
  t.equal(still.statusCode, 409)
  t.match(textOf(still.body), /on hold cannot become running.*has no template/)
  t.match(
    await ask(id, 'variant'),
    /The variant’s template Recreate it as we last saved it.*Choose another template.*guide/,
  )
  const missing = await post(`/tests/${id}/variant`, { choice: 'other', suffix: 'nowhere' })
  t.equal(missing.statusCode, 422)
  t.match(missing.body, 'id="suffix-problem"')
  t.equal((await post(`/tests/${id}/variant`, { choice: 'anew' })).statusCode, 303)
  t.equal((await post(`/tests/${id}/resume`)).statusCode, 303)
  t.equal((await testOf(id)).status, 'Active')
  const running = await post(`/tests/${id}/variant`, { choice: 'anew' })
  t.equal(running.statusCode, 409)
  t.match(textOf(running.body), 'Only the variant of a test on hold can be recreated or replaced')
  await post(`/tests/${id}/end`)
})

t.test('a redirect and a theme test get another variant; problems are at the field', async t => {
  const page = await seed({ ...redirect, status: 'OnHold' })
  t.match(await ask(page, 'variant'), 'Where the variant goes')
  for (const redirectTestUrl of ['/pages/nowhere', '/pages/gift-guide', 'https://evil.example/']) {
    const refused = await post(`/tests/${page}/variant`, { redirectTestUrl })
    t.equal(refused.statusCode, 422, redirectTestUrl)
    t.match(refused.body, 'id="redirectTestUrl-problem"')
    t.match(refused.body, `value="${redirectTestUrl}"`)
  }
  t.equal(
    (await post(`/tests/${page}/variant`, { redirectTestUrl: '/pages/gift-guide-2026' }))
      .statusCode,
    303,
  )
  t.equal((await testOf(page)).redirectUrl, '/pages/gift-guide-2026')
  const theme = await seed({
    kind: 'Theme',
    status: 'OnHold',
    control_target: JSON.stringify({
      templateType: null,
      suffix: null,
      themeId,
      url: null,
      isOurs: false,
      hash: null,
    }),
    variant_target: null,
  })
  t.match((await post(`/tests/${theme}/variant`, { themeId: '999' })).body, 'id="themeId-problem"')
  const element = await seed({ status: 'OnHold' })
  t.equal((await post(`/tests/${element}/variant`)).statusCode, 409)
  for (const id of [page, theme, element]) await post(`/tests/${id}/end`)
  const early = await seed({
    kind: 'UrlRedirect',
    title: 'Too early',
    status: 'Scheduled',
    start_at: null,
    launch_at: new Date(now.at.getTime() + 86_400_000),
    control_url: '/pages/about',
    redirect_url: '/pages/nowhere',
    pages: '["/pages/about"]',
  })
  const started = await post(`/tests/${early}/resume`)
  t.match(textOf((await get(started.headers.location!)).body), '“Too early” is on hold: ')
  await post(`/tests/${early}/end`)
})

t.test(
  'a schedule is in the shop’s time zone; a past or invalid time is refused at its field',
  async t => {
    const id = await seed({
      status: 'Scheduled',
      start_at: null,
      launch_at: new Date(now.at.getTime() + 5 * 86_400_000),
    })
    // The day in next year when the shop's clocks go forward: the second Sunday of March.
    const year = now.at.getUTCFullYear() + 1,
      march = new Date(
        Date.UTC(year, 2, 8 + ((7 - new Date(Date.UTC(year, 2, 8)).getUTCDay()) % 7)),
      )
        .toISOString()
        .slice(0, 10)
    t.match(
      textOf((await get(`/tests/${id}`)).body),
      /Start now .*Starts .*Automatic end .*Times are in your shop’s time zone/,
    )
    t.equal(
      (await post(`/tests/${id}/schedule`, { launchAt: `${march}T02:30`, automaticallyEndAt: '' }))
        .statusCode,
      303,
    )
    t.equal(
      (await testOf(id)).launchAt,
      `${march}T07:30:00.000Z`,
      'a time in the missing hour is moved one hour later',
    )
    for (const [field, value, words] of [
      ['launchAt', '2020-01-01T00:00', 'The start must be in the future.'],
      ['launchAt', 'soon', 'Write it as a day and a time.'],
      ['launchAt', `${year}-02-30T00:00`, 'Write it as a day and a time.'],
      ['launchAt', '', 'A scheduled test needs a start.'],
      ['automaticallyEndAt', `${march}T12:00`, 'A test runs for at least a day.'],
    ] as const) {
      const refused = await post(`/tests/${id}/schedule`, { [field]: value })
      t.equal(refused.statusCode, 422, value)
      t.match(dialogOf(refused.body), words)
      t.match(refused.body, `id="${field}-problem"`)
      if (value) t.match(refused.body, `value="${value}"`)
    }
    t.equal((await post(`/tests/${id}/resume`)).statusCode, 303, 'the test starts at once')
    t.equal((await testOf(id)).status, 'Active')
    t.match(
      dialogOf(
        (await post(`/tests/${id}/schedule`, { automaticallyEndAt: '2020-01-01T00:00' })).body,
      ),
      'The end must be in the future.',
    )
    t.equal(
      (await post(`/tests/${id}/schedule`, { automaticallyEndAt: `${year}-05-01T09:00` }))
        .statusCode,
      303,
    )
    t.equal((await testOf(id)).automaticallyEndAt, `${year}-05-01T13:00:00.000Z`)
    await post(`/tests/${id}/end`)
    t.match(
      textOf(
        (await post(`/tests/${id}/schedule`, { automaticallyEndAt: `${year}-06-01T09:00` })).body,
      ),
      'A test that is ended has nothing left to schedule.',
    )
  },
)

t.test('a test is duplicated once, and deleted after a dialog says what is lost', async t => {
  const id = await seed({ ...redirect, title: 'To be copied' })
  const copies = await Promise.all([post(`/tests/${id}/duplicate`), post(`/tests/${id}/duplicate`)])
  t.match(copies[0]!.headers.location, /^\/tests\/draft\/edit\/[0-9a-f-]{36}$/)
  t.equal(copies[1]!.headers.location, copies[0]!.headers.location, 'a double click makes one copy')
  t.match(
    textOf((await get(`/tests/${id}`)).body),
    'A running test cannot be deleted. End it first',
  )
  const running = await post(`/tests/${id}/delete`)
  t.equal(running.statusCode, 409)
  t.match(textOf(running.body), 'This test is running. End it first, then delete it.')
  await post(`/tests/${id}/end`)
  t.match(
    textOf((await get(`/tests/${id}`)).body),
    /Delete To be copied\? Deleted for good: its report with .* and its events\. What it changed in your shop is restored\./,
  )
  t.equal((await post(`/tests/${id}/delete`)).headers.location, '/tests/list/ended')
  const other = await seed({ ...redirect, status: 'Ended' })
  t.equal((await post(`/tests/${other}/delete`)).statusCode, 303)
  t.equal((await post(`/tests/${id}/delete`)).statusCode, 303, 'the second click of a double click')
  t.equal((await get(`/tests/${id}`)).statusCode, 404)
  t.equal((await post(`/tests/${crypto.randomUUID()}/delete`)).statusCode, 404)
  t.equal((await post(`/tests/${id}/duplicate`)).statusCode, 404)
})

t.test('each arm can be previewed on a phone', async t => {
  const id = await seed(redirect)
  const { body } = await get(`/tests/${id}?ask=phone`)
  t.match(
    textOf(dialogBody(body)),
    /On your phone .*nothing you do there is counted\. Control Variant Close/,
  )
  t.equal([...dialogBody(body).matchAll(/<svg class="qr"[^>]*role="img"/g)].length, 2)
  await post(`/tests/${id}/end`)
  t.equal(await ask(id, 'phone'), '')
})

t.test('an address with an unknown question shows the report', async t => {
  const id = await seed(redirect)
  for (const what of [
    'apply-both',
    'variant',
    '%3Cscript%3E',
    'start',
    'remove',
    'apply-variant&ask=apply-control',
  ]) {
    const { statusCode, body } = await get(`/tests/${id}?ask=${what}`)
    t.equal(statusCode, 200, what)
    t.equal(dialogOf(body), '', what)
  }
})
