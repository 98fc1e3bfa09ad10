import t from 'tap'
import type { DomAction } from '../../../../domain/drafts/dom-selector.ts'
import { findChromium } from '../../../../engine/browser/chromium.ts'
import { refusal } from '../../support/engine.ts'
import { firstShop } from '../../support/small-shop.ts'
import { holdRequests } from '../../support/shops/held-requests.ts'
import { startWithShop } from '../../support/with-shop.ts'

// Chromium can be slow on a busy machine.
t.setTimeout(300_000)
const looking = { skip: !findChromium(process.env['CHROMIUM_PATH']) && 'no Chromium here' }

t.test('a real browser opens both arms of a draft in the shop', looking, async t => {
  // Without a runtime file of the test, the engine uses the real script and the real preview.
  const own = await startWithShop(
    { runtimeFile: undefined } as object,
    process.env['CHROMIUM_PATH'] ? { CHROMIUM_PATH: process.env['CHROMIUM_PATH'] } : {},
  )
  t.teardown(own.close)
  const { call, engine } = own
  const { id, hypotheses } = await call('createDraft', {
    body: { kind: 'PageElement', title: 'A louder name' },
  })
  const change = (selector: string, over: Partial<DomAction> = {}): DomAction => ({
    selector,
    kind: 'text',
    value: 'Take it home',
    name: '',
    ...over,
  })
  let pattern = '/products/*',
    opened = 1
  const found = async (...actions: DomAction[]) => {
    await call('setDomSelectors', {
      params: { id: hypotheses[1]!.id },
      body: { domSelectors: [{ id: '', urlPatterns: [pattern], actions }] },
    })
    t.match(
      (await call('draftChecks', { params: { id } })).browser.state,
      /none|stale/,
      'there are no findings for this content yet',
    )
    // The job cannot end before these answers.
    const release = holdRequests(own.shop.app, ({ headers }) =>
      /Chrome/.test(headers['user-agent'] ?? ''),
    )
    const { jobId } = await call('startDraftChecks', { params: { id } })
    t.equal(
      (await call('startDraftChecks', { params: { id } })).jobId,
      jobId,
      'a second request gets the same job',
    )
    t.match((await call('draftChecks', { params: { id } })).browser, { state: 'running', jobId })
    release()
    await engine.runJobs()
    t.match(await call('storeJob', { params: { id: jobId! } }), {
      status: 'completed',
      message: new RegExp(`^Opening /.* in the variant, ${2 * opened} of ${2 * opened}$`),
    })
    const { browser } = await call('draftChecks', { params: { id } })
    t.equal(browser.state, 'done')
    return browser.checks
  }
  t.match(await found(change('.product-form__submit')), [
    { name: 'opens', tone: 'good' },
    { name: 'shown', tone: 'good' },
    { name: 'errors', tone: 'good' },
    { name: 'selectors', tone: 'good' },
  ])
  t.match(
    await found(change('.product-form__submit', { kind: 'remove', value: '' })),
    [{}, {}, {}, { name: 'selectors', tone: 'good' }],
    'an element that the variant removes was there',
  )
  opened = 4
  t.match((await found(change('.no-such-button'))).at(-1), {
    name: 'selectors',
    tone: 'warn',
    message: '“.no-such-button” finds nothing on the 4 pages that were opened; 20 more match.',
  })
  pattern = '*'
  t.match(
    (await found(change('.product-form__submit'))).at(-1),
    { name: 'selectors', tone: 'good' },
    'one page of each kind is opened',
  )
  pattern = '/products/ash-glaze-mug'
  opened = 1
  t.match(
    (
      await found(
        change('.product-form__submit', { kind: 'move', name: 'before', value: '.no-such-place' }),
      )
    ).at(-1),
    { tone: 'bad', message: /“\.no-such-place” finds nothing/ },
    'the target of a move is checked too',
  )
  t.match(await found(change('.no-such-button')), [
    {},
    {},
    {},
    {
      name: 'selectors',
      tone: 'bad',
      field: 'changes',
      message: '“.no-such-button” finds nothing on the tested pages.',
    },
  ])
  t.match(await refusal(call('launchDraft', { params: { id } })), {
    status: 400,
    problem: { fields: [{ field: 'changes', message: /finds nothing/ }] },
  })

  const {
    items: [mug],
  } = await own.platform.searchProducts(firstShop, {
    query: 'Ash glaze mug',
    direction: 'forward',
    pageSize: 1,
  })
  const idle = [
    change('h1', { value: mug!.title }),
    change('.product-form__submit', { kind: 'style', name: 'visibility', value: 'visible' }),
  ]
  t.match(
    (await found(...idle)).at(-1),
    { name: 'selectors', tone: 'bad', message: /^The changes make no difference/ },
    'both arms look the same',
  )
  t.match(await refusal(call('launchDraft', { params: { id } })), {
    status: 400,
    problem: { fields: [{ field: 'changes', message: /make no difference/ }] },
  })
  t.match(
    (
      await found(
        idle[0]!,
        change('.product-form__submit', { kind: 'style', name: 'visibility', value: 'hidden' }),
      )
    ).at(-1),
    { tone: 'warn', message: /^The change of “h1” makes no difference/ },
  )

  await call('setDomSelectors', {
    params: { id: hypotheses[1]!.id },
    body: { domSelectors: [{ id: '', urlPatterns: ['/products/*'], actions: [change('h1')] }] },
  })
  // The shop's own code asks for the arm of an API test. Prices are replaced in the page.
  const look = async (draft: string) => {
    await call('startDraftChecks', { params: { id: draft } })
    await engine.runJobs()
    return (await call('draftChecks', { params: { id: draft } })).browser.checks.at(-1)
  }
  const api = await call('createDraft', {
    body: { kind: 'Api', title: 'Ask me', apiMode: 'automatic' },
  })
  const live = (await own.platform.themes(firstShop)).find(({ role }) => role === 'live')!
  const [layout] = await own.platform.themeFiles(firstShop, live.id, ['layout/theme.liquid'])
  t.match(await look(api.id), {
    name: 'api',
    tone: 'warn',
    message: 'The shop’s code did not ask for this test on /.',
  })
  const asking = `<script>addEventListener('load', () => window.twinshelf?.isActive?.('${api.hypotheses[1]!.id}'))</script></body>`
  await own.merchant.writeThemeFiles(firstShop, live.id, [
    { name: layout!.name, body: layout!.body.replace('</body>', asking) },
  ])
  t.match(await look(api.id), { name: 'api', tone: 'good' })
  const price = await call('createDraft', { body: { kind: 'Price', title: 'Dearer' } })
  const {
    items: [product],
  } = await own.platform.searchProducts(firstShop, { query: '', direction: 'forward', pageSize: 1 })
  await call('createTestProduct', {
    body: { testDraftId: price.id, productId: product!.id, rule: { kind: 'amount', value: 250 } },
  })
  t.match(await look(price.id), { name: 'prices', tone: 'good' })

  // A page may override built-in functions. The check reads it in an isolated world, where that has
  // no effect.
  const bent =
    "<script>JSON.stringify = () => 'null'; Array.prototype.map = Array.prototype.slice = Array.from = () => []; Document.prototype.querySelectorAll = () => []; window.getComputedStyle = () => { throw 1 }</script></body>"
  await own.merchant.writeThemeFiles(firstShop, live.id, [
    { name: layout!.name, body: layout!.body.replace('</body>', bent) },
  ])
  await call('setDomSelectors', {
    params: { id: hypotheses[1]!.id },
    body: {
      domSelectors: [
        {
          id: '',
          urlPatterns: ['/products/ash-glaze-mug'],
          actions: [
            change('.product-form__submit', { kind: 'style', name: 'color', value: '#ff0000' }),
          ],
        },
      ],
    },
  })
  await call('startDraftChecks', { params: { id } })
  await engine.runJobs()
  t.match(
    (await call('draftChecks', { params: { id } })).browser.checks[0],
    { name: 'opens', tone: 'good' },
    'a page that overrides prototypes is read correctly',
  )

  await own.merchant.writeThemeFiles(firstShop, live.id, [
    {
      name: layout!.name,
      body: layout!.body.replace('</body>', "<script>console.log('x'.repeat(2e8))</script></body>"),
    },
  ])
  const later = () => {
    own.now.at = new Date(own.now.at.getTime() + 60_000)
  }
  later()
  const { jobId } = await call('startDraftChecks', { params: { id } })
  const before = process.memoryUsage.rss()
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss() - before)
  }, 20)
  await engine.runJobs()
  t.match(
    await call('storeJob', { params: { id: jobId! } }),
    { status: 'queued' },
    'a page that floods the console is tried once more',
  )
  later()
  await engine.runJobs()
  clearInterval(watch)
  t.match(await call('storeJob', { params: { id: jobId! } }), {
    status: 'errored',
    message: /^A page of the shop sent our browser too much data/,
  })
  t.ok(most < 300e6, `${Math.round(most / 1e6)} MB above idle`)
  await own.merchant.writeThemeFiles(firstShop, live.id, [layout!])

  await call('setDomSelectors', {
    params: { id: hypotheses[1]!.id },
    body: { domSelectors: [{ id: '', urlPatterns: ['/products/*'], actions: [change('h1')] }] },
  })
  later()
  await call('startDraftChecks', { params: { id } })
  await own.shop.app.close()
  await engine.runJobs()
  t.match(
    (await call('draftChecks', { params: { id } })).browser,
    { state: 'failed', message: /shop/ },
    'the check fails when the shop does not answer',
  )
})
