import t from 'tap'
import type { Api } from '../../../domain/api/api-client.ts'
import { HttpProblem, vendorErrors } from '../../../domain/problem.ts'
import { apiSessions } from '../../../server/upstream/api-session.ts'
import {
  isShopSilent,
  outcomes,
  priceTestingClosed,
} from '../../../server/upstream/api-outcomes.ts'
import { pathOf } from '../../../server/upstream/upstream-calls.ts'
import { createUpstream } from '../../../server/upstream/upstream.ts'
import { json, smallUpstream } from '../support/small-upstream.ts'

// What errors of the API lead to (docs/requirements.md, "25 What errors lead to"), one test each.
// upstream.test.ts and sign-in.test.ts test what pages show.
const small = await smallUpstream()
const upstream = createUpstream(small.origin, {
  timeout: 10_000,
  deadline: 100,
  firstWait: 5,
  longestWait: 10,
})
t.teardown(async () => {
  await upstream.close()
  small.close()
})
const id = '5b0e2a52-9c4b-4f3a-8a55-6a1f0c7d9e21'
// An access token names the platform of its shop.
const claims = Buffer.from(JSON.stringify({ sub: id, platform: 'demo' })).toString('base64url')
/** A new session each time, so nothing is cached. */
const api = (): Api => apiSessions(upstream, () => new Date())(`head.${claims}.end`).api
const answer = (path: string, status: number, body: unknown) => {
  small.answers = { [path]: (_, response) => json(response, body, status) }
}
const problem = (message: string, status = 403) => ({ message, status }) as unknown as Error

t.test('product call answered 403: the message about price testing', async t => {
  answer(`/api/demo-products/test/${id}/validate`, 403, { message: 'anything else' })
  await t.rejects(
    outcomes.product(api().validateTestProducts({ params: { id } })),
    problem(
      'Price testing feature is not enabled for this store. Please contact support to enable this feature.',
    ),
  )
  answer(`/api/demo-products/test/${id}/validate`, 404, { message: 'There is no such test.' })
  await t.rejects(
    outcomes.product(api().validateTestProducts({ params: { id } })),
    problem('There is no such test.', 404),
    'any other refusal keeps its message',
  )
})

t.test('batch upsert response without a products list: the same message', async t => {
  const path = '/api/demo-products/batch-upsert'
  const upsert = () =>
    outcomes.upsertProducts(api().upsertProducts({ query: {}, body: { products: [] } }))
  for (const body of [{ totalCount: 0, page: 0, limit: 10, totalPages: 0 }, {}, null, 'no']) {
    answer(path, 200, body)
    await t.rejects(upsert(), problem(priceTestingClosed), JSON.stringify(body))
  }
  for (const [status, type, body] of [
    [204, '', ''],
    [200, 'text/html', '<h1>Hello</h1>'],
    [200, 'application/json', '{"products":[{"id'],
  ] as const) {
    small.answers = {
      [path]: (_, response) =>
        response.writeHead(status, type === '' ? {} : { 'content-type': type }).end(body),
    }
    await t.rejects(upsert(), problem(priceTestingClosed), `${status} ${type}, no list to read`)
  }
  answer(path, 200, { products: [{ id: 7 }] })
  await t.rejects(upsert(), problem('Twinshelf received data that it cannot read.', 502))
  await t.rejects(
    outcomes.upsertProducts(Promise.reject(new HttpProblem(403, 'no'))),
    problem(priceTestingClosed),
  )
})

t.test(
  'template duplicate error body is a string: returned as an object with a message',
  async t => {
    const duplicate = () =>
      outcomes.duplicateTemplate(
        api().duplicateTemplate({ body: { type: 'product', suffix: 'story' } }),
      )
    answer('/api/v0/templates/duplicate', 409, 'There is a template of this name.')
    t.same(await duplicate(), { message: 'There is a template of this name.', fields: [] })
    answer('/api/v0/templates/duplicate', 422, { message: 'Twenty-five sections at most.' })
    t.same(await duplicate(), { message: 'Twenty-five sections at most.', fields: [] })
    answer('/api/v0/templates/duplicate', 504, { message: 'x', error: vendorErrors.shop })
    t.match(await duplicate(), { message: /^Your shop did not answer\./ })
  },
)

t.test(
  'error body shape: message, optional numeric error, optional uuid; a plain string is the message',
  async t => {
    for (const [body, message] of [
      [{ message: 'No.', error: 7, uuid: 'x' }, 'No.'],
      ['Not today.', 'Not today.'],
      [{}, 'There is nothing at this address.'],
      [null, 'There is nothing at this address.'],
    ] as const) {
      answer(`/api/v0/tests/${id}`, 404, body)
      await t.rejects(api().test({ params: { id } }), problem(message, 404), JSON.stringify(body))
    }
    const named = { field: 'title', message: 'Too long.' }
    answer(`/api/v0/tests/${id}`, 400, { message: 'No.', fields: [null, { field: 'x' }, named] })
    const wrong = await api()
      .test({ params: { id } })
      .catch((error: unknown) => error)
    t.same((wrong as HttpProblem).fields, [named], 'only problems that have a field and a message')
    answer(`/api/v0/tests/${id}`, 404, { message: 'No.', uuid: 'x' })
    await t.rejects(
      api().test({ params: { id } }),
      { upstreamUuid: 'x' } as unknown as Error,
      'the log names the API’s own request',
    )
    const plain = (body: string, type: string) => {
      small.answers = {
        [`/api/v0/tests/${id}`]: (_, response) =>
          response.writeHead(409, { 'content-type': type }).end(body),
      }
    }
    plain(' Not while it runs.\n', 'text/plain; charset=utf-8')
    await t.rejects(
      api().test({ params: { id } }),
      problem('Not while it runs.', 409),
      'plain text',
    )
    const own = problem('This was changed meanwhile. Reload the page.', 409)
    for (const [body, type] of [
      ['', 'text/plain'],
      ['x'.repeat(5_000), 'text/plain'],
      ['<h1>Bad gateway</h1>', 'text/html'],
      ['{"message":"Cut o', 'application/json'],
    ] as const) {
      plain(body, type)
      await t.rejects(api().test({ params: { id } }), own, `${type}, ${body.length} characters`)
    }
  },
)

t.test('brand style or analytics settings answered 404: none', async t => {
  small.answers = {}
  t.equal(await api().brandStyle({}), null)
  t.equal(await api().gaSettings({}), null)
  answer('/api/v0/brandstyles', 403, { message: 'no' })
  await t.rejects(api().brandStyle({}), problem('no'), 'no other status means none')
})

t.test('analytics accounts or measurement ids answered 401 or 403: none', async t => {
  for (const status of [401, 403]) {
    answer('/api/v0/ga/accounts', status, { message: 'no' })
    t.equal(await api().gaAccounts({}), null, `accounts, ${status}`)
    answer('/api/v0/ga/measurement-ids', status, { message: 'no' })
    t.equal(
      await api().gaMeasurementIds({ query: { propertyId: '1' } }),
      null,
      `measurement ids, ${status}`,
    )
  }
})

t.test('redirect URL validation fails: false', async t => {
  const path = '/api/v0/test-drafts/validate-redirect-url'
  for (const [status, body] of [
    [400, { message: 'no' }],
    [404, {}],
    [500, {}],
    [200, 'nonsense'],
  ] as const) {
    answer(path, status, body)
    t.equal(await outcomes.isRedirectUrlValid(api(), '/pages/x'), false, String(status))
  }
  answer(path, 504, { message: 'The shop did not answer.', error: vendorErrors.shop })
  small.asked = []
  let why: unknown
  t.equal(
    await outcomes.isRedirectUrlValid(api(), '/pages/x', error => {
      why = error
    }),
    false,
  )
  t.ok(isShopSilent(why), 'but it can be told apart')
  t.equal(small.asked.length, 1, 'a silent shop is not asked again at once')
  answer(path, 200, { url: '/pages/x' })
  t.equal(await outcomes.isRedirectUrlValid(api(), '/pages/x'), true)
})

t.test('URL search fails: empty list', async t => {
  answer('/api/v0/test-drafts/url-search', 500, {})
  t.same(await outcomes.searchUrls(api(), 'mug'), [])
  answer('/api/v0/test-drafts/url-search', 200, [{ url: '/products/mug', title: 'Mug' }])
  t.same(await outcomes.searchUrls(api(), 'mug'), [{ url: '/products/mug', title: 'Mug' }])
})

t.test('discount code check fails: invalid, without a message', async t => {
  const path = '/api/v0/plans/discount-codes/check/SPRING'
  for (const status of [404, 429, 500]) {
    answer(path, status, { message: 'no' })
    t.same(await outcomes.checkDiscount(api(), 'SPRING'), { isValid: false }, String(status))
  }
})

t.test('what is undefined is not asked for', async t => {
  t.equal(pathOf('templates', { query: { type: undefined } }), '/api/v0/templates')
  t.equal(pathOf('templates', { query: { type: 'page' } }), '/api/v0/templates?type=page')
})

t.test('a file of an API that does not answer is an error like any other call', async t => {
  const away = createUpstream('http://127.0.0.1:1', { timeout: 800 })
  t.teardown(() => away.close())
  await t.rejects(away.download('storeLogo', {}, 'token'), { status: 502 } as unknown as Error)
})
