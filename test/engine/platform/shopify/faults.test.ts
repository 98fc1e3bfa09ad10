import t, { type Test } from 'tap'
import type { FaultKind } from '../../../../demo-shop/shopify/api/faults.ts'
import { HttpProblem, LaterProblem, VendorProblem } from '../../../../domain/problem.ts'
import { withVendorsWithin } from '../../../../engine/http/vendor-calls.ts'
import { SignInNeeded } from '../../../../engine/platform/tokens.ts'
import { shopifyShop as shop, shopifyStage } from '../../support/shops/shopify-stage.ts'

const { platform, adapter, face, drifts } = await shopifyStage(t, {
  settings: { themeWrites: true },
})
/** Without the repetitions, which take seconds. */
const impatient = adapter({ maxTries: 0 })
const theme = '160001'
const file = { name: 'snippets/ours.liquid', body: 'ours' }
const written = async () => (await platform.themeFiles(shop, theme, [file.name])).length > 0

async function refused(t: Test, work: Promise<unknown>, words: RegExp, name: string) {
  const error = await work.then(
    () => null,
    (error: unknown) => error,
  )
  t.ok(error instanceof HttpProblem && words.test(error.message), `${name}: ${String(error)}`)
  return error
}
/** Everything that the API does until `end` fails in this way. */
const failing = (kind: FaultKind, more: { times?: number; holding?: string } = {}) =>
  face.faults.set([{ kind, on: 'api', times: null, ...more }])
const end = () => face.faults.set([])
t.afterEach(end)

t.test('what the shop refuses is a sentence that says what to do', async t => {
  const cases: [FaultKind, RegExp][] = [
    ['401', /no longer gives Twinshelf access\. Open Twinshelf/],
    ['402', /is frozen, because a bill .* Pay it/],
    ['403', /does not let Twinshelf into your shop .* approve its permissions/],
    ['404', /knows no shop at this address .* Open Twinshelf/],
    ['423', /locked your shop.* Ask Shopify’s support/],
    ['500', /answered 500\. Repeat this/],
    ['503', /answered 503\. Repeat this/],
    ['nonsense', /answer cannot be read\. Repeat this/],
    ['cut', /could not be reached/],
    ['lost', /could not be reached/],
  ]
  for (const [kind, words] of cases) {
    failing(kind)
    const read = await refused(t, impatient.themes(shop), words, `${kind}, read`)
    t.ok(read instanceof VendorProblem, 'the shop is the cause')
    await refused(t, impatient.writeThemeFiles(shop, theme, [file]), words, `${kind}, write`)
    end()
    t.notOk(await written(), 'nothing was done')
  }
})

t.test('a person waits for an answer for as long as their call may take', async t => {
  const inCall = <T>(work: () => Promise<T>) => withVendorsWithin({ all: 700, each: 600 }, work)
  failing('slow', { times: 2 })
  const begun = performance.now()
  await refused(
    t,
    inCall(() => platform.themes(shop)),
    /did not answer/,
    'read',
  )
  await refused(
    t,
    inCall(() => platform.publishTheme(shop, theme)),
    /did not answer/,
    'write',
  )
  // The shop would answer after ten seconds.
  t.ok(performance.now() - begun < 9_000)
  end()
  t.equal((await platform.themes(shop)).length, 2)
})

t.test(
  'an error in passing is tried again, and a lost answer of a write that may repeat',
  async t => {
    for (const kind of ['500', '503', 'cut', 'lost'] as const) {
      failing(kind, { times: 1 })
      t.equal((await platform.themes(shop)).length, 2, kind)
    }
    failing('lost', { times: 1, holding: 'themeFilesUpsert' })
    await platform.writeThemeFiles(shop, theme, [file])
    t.ok(await written())
    await platform.deleteThemeFiles(shop, theme, [file.name])
  },
)

t.test('a write that must not happen twice is not tried again', async t => {
  const before = (await platform.urlRedirects(shop)).length
  failing('lost', { times: 1, holding: 'urlRedirectCreate' })
  const redirect = { path: '/old-page', target: '/pages/about' }
  await refused(t, platform.createUrlRedirect(shop, redirect), /could not be reached/, 'lost')
  const all = await platform.urlRedirects(shop)
  t.equal(all.length, before + 1, 'it was made, and its answer lost')
  t.equal((await platform.createUrlRedirect(shop, redirect)).id, all.at(-1)!.id, 'asked again')
  t.equal((await platform.urlRedirects(shop)).length, before + 1)
  await platform.deleteUrlRedirect(shop, all.at(-1)!.id)
  await platform.deleteUrlRedirect(shop, all.at(-1)!.id)
})

t.test('a throttled call waits for its points, or says how long the caller must wait', async t => {
  failing('throttled', { times: 2 })
  t.equal((await platform.themes(shop)).length, 2)
  failing('429', { times: 1 })
  t.equal((await platform.themes(shop)).length, 2, 'by status')
  failing('throttled')
  const error = await refused(t, platform.themes(shop), /answers no more for a moment/, 'always')
  t.ok(error instanceof LaterProblem && error.retryAfter > 0 && error.retryAfter < 60)
  failing('throttled')
  await refused(t, platform.writeThemeFiles(shop, theme, [file]), /for a moment/, 'write')
  end()
  t.notOk(await written())
  t.match(platform.rate(shop), { perSecond: 100, burst: 2_000 }, 'as the shop says')
  t.equal(platform.rate('unknown.myshopify.com')!.perSecond, 50, 'until a shop has said it')
  t.equal(platform.rate(shop)!.cost!('productsById', [shop, ['1', '2']]), 25)
})

t.test('a permission that was withdrawn is named, and closes what needs it', async t => {
  const { scopes } = face.settings.current()
  t.teardown(() => face.settings.set({ scopes }))
  const without = (name: RegExp) => face.settings.set({ scopes: scopes.filter(one => !name.test(one)) }) // prettier-ignore
  without(/_themes$/)
  await refused(t, platform.themes(shop), /permission for this \(read_themes\).*approve/, 'read')
  without(/_products$/)
  await refused(
    t,
    platform.setPrices(shop, '101', [{ variantId: '10100', price: 1 }]),
    /permission for this \(read_products\)/,
    'write',
  )
  without(/^(write_themes|write_cart_transforms|write_online_store_navigation)$/)
  t.match(await platform.capabilities(shop), {
    themeWrites: false,
    copies: 'merchant',
    priceWay: 'discount',
    redirects: 'none',
  })
  without(/^write_(cart_transforms|discounts)$/)
  t.equal((await platform.capabilities(shop)).priceWay, 'none')
})

t.test('an answer in another version of the API is reported', async t => {
  t.same(drifts, [])
  const { version } = face.served
  face.served.version = '2027-01'
  t.equal((await platform.themes(shop)).length, 2)
  face.served.version = version
  t.same(drifts, ['2027-01'])
})

t.test(
  'a token that ended is replaced, and without a new one the merchant must sign in',
  async t => {
    face.tokens.end()
    t.equal((await platform.themes(shop)).length, 2)
    failing('401')
    await t.rejects(platform.themes(shop), new SignInNeeded())
  },
)
