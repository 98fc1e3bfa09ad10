import { queryOf } from '../support/walk/required-query.ts'
import t from 'tap'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { type Call, callPath } from '../../../domain/api/call.ts'
import { contract } from '../../../domain/api/contract.ts'
import type { Problem } from '../../../domain/problem.ts'
import { staffContract } from '../../../domain/staff/staff-contract.ts'
import { developmentStaff } from '../../../engine/platform/demo/demo-staff.ts'
import { unstorable } from '../../../engine/http/validation.ts'
import { staffCaller } from '../../server/support/staff.ts'
import { startEngine } from '../support/engine.ts'
import { secondShop } from '../support/small-shop.ts'
import { beacon, collect, deliver, event, order } from '../support/traffic.ts'

const lines: string[] = []
const log = pino(
  { level: 'info' },
  new Writable({
    write: (line, _, done) => {
      lines.push(String(line))
      done()
    },
  }),
)
const { engine, db, shop, call, token, close } = await startEngine({ log })
t.teardown(close)
const ask = async (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) => {
  const response = await engine.app.inject({
    method,
    url,
    ...(payload && { payload }),
    headers: { authorization: `Bearer ${token}` },
  })
  return { status: response.statusCode, problem: response.json<Problem>() }
}

t.test('text and numbers that the database cannot store are refused at their field', async t => {
  const draft = await call('createDraft', { body: { kind: 'PageElement', title: 'Whole' } })
  const action = { selector: 'h1', kind: 'text', value: 'x', name: '' }
  const selectors = (over: object) => ({
    domSelectors: [{ id: '', urlPatterns: ['/*'], actions: [{ ...action, ...over }] }],
  })
  const hypothesis = `/api/v0/hypotheses/${draft.hypotheses[1]!.id}/dom-selectors`
  const wrong: [
    what: string,
    field: string,
    method: 'GET' | 'POST' | 'PUT',
    url: string,
    body?: object,
  ][] = [
    [
      'a NUL in a new draft',
      'title',
      'POST',
      '/api/v0/test-drafts',
      { kind: 'PageElement', title: 'a\0b' },
    ],
    [
      'a NUL in a draft',
      'hypothesisDescription',
      'PUT',
      `/api/v0/test-drafts/${draft.id}`,
      { hypothesisDescription: '\0' },
    ],
    [
      'a version beyond all',
      'version',
      'PUT',
      `/api/v0/test-drafts/${draft.id}`,
      { version: 3_000_000_000 },
    ],
    [
      'a NUL in a change',
      'domSelectors.0.actions.0.value',
      'POST',
      hypothesis,
      selectors({ value: '\0' }),
    ],
    [
      'half a character in a change',
      'domSelectors.0.actions.0.selector',
      'POST',
      hypothesis,
      selectors({ selector: '\ud800' }),
    ],
    ['a NUL in a search', 'search', 'GET', '/api/v0/tests?search=%00'],
    ['a page beyond all', 'page', 'GET', '/api/v0/tests?page=1e300'],
  ]
  for (const [what, field, method, url, body] of wrong) {
    const { status, problem } = await ask(method, url, body)
    t.equal(status, 400, what)
    t.same(
      problem.fields?.map(f => f.field),
      [field],
      what,
    )
  }
  t.match(await call('draft', { params: { id: draft.id } }), {
    title: 'Whole',
    version: 1,
    domSelectors: [],
  })
  t.equal(
    (
      await collect(
        engine.app,
        beacon('visitor-one', {}, [event('view', Date.now())], { shop: 'a\0b' }),
      )
    ).statusCode,
    400,
  )
})

t.test('a NUL in any part of any path is refused, and the part is named', async t => {
  await engine.samples.staff()
  const { token: staffToken } = await staffCaller({ engine: { engine } })('staffSignIn', {
    body: { email: developmentStaff.email, password: developmentStaff.password },
  })
  for (const [name, call] of Object.entries<Call>({ ...contract, ...staffContract })) {
    const parts = Object.keys(
      (call.params as { properties?: object } | undefined)?.properties ?? {},
    )
    for (const part of parts) {
      const url = callPath(call.path, 'demo', {
        ...Object.fromEntries(parts.map(each => [each, '00000000-0000-0000-0000-000000000000'])),
        [part]: 'a\0b',
      })
      const query = queryOf(call)
      const response = await engine.app.inject({
        method: call.method,
        url: url + query,
        headers: { authorization: `Bearer ${name in contract ? token : staffToken}` },
        ...(call.body && { payload: {} }),
      })
      t.equal(response.statusCode, 400, name)
      if (!call.body && parts.length === 1)
        t.match(
          response.json<Problem>().fields?.map(({ field }) => field),
          [part],
          name,
        )
    }
  }
  for (const url of [
    '/s/%00.js',
    '/s/a%00b.js',
    '/s/preview.js?token=%00',
    '/webhooks/demo/%00',
    '/nowhere/%00',
    '/%00',
    '/api/docs?%00=1',
  ])
    t.match(await engine.app.inject(url), { statusCode: 400 }, url)
})

t.test('a NUL in a webhook and JSON that is nested too deeply are refused', async t => {
  const paid = order('order-1', 'visitor-one', Date.now(), '10.00')
  const answer = await deliver(engine.app, JSON.stringify({ ...paid, name: '#1\0' }))
  t.match(
    { status: answer.statusCode, fields: answer.json<Problem>().fields },
    { status: 400, fields: [{ field: 'name' }] },
  )
  for (const deep of ['[', '{"a":'])
    t.equal(
      (
        await engine.app.inject({
          method: 'POST',
          url: '/api/v0/test-drafts',
          payload: deep.repeat(40_000) + '1' + (deep === '[' ? ']' : '}').repeat(40_000),
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        })
      ).statusCode,
      400,
    )
  const nested = JSON.parse('['.repeat(40_000) + ']'.repeat(40_000)) as unknown
  t.match(unstorable({ note: nested }), [{ field: /^note\.0/, message: 'is nested too deeply' }])
})

t.test('an address that cannot be decoded gets an error in the usual shape', async t => {
  const { status, problem } = await ask('GET', '/api/v0/tests/%E0%A4%A')
  t.equal(status, 400)
  t.match(problem, { message: String, error: 400, uuid: /^[0-9a-f-]{36}$/ })
})

t.test('a failed statement is logged without its values', async t => {
  await db.kysely.schema.alterTable('drafts').renameTo('away').execute()
  t.equal(
    (
      await ask('POST', '/api/v0/test-drafts', {
        kind: 'PageElement',
        title: 'Nobody else may read this',
      })
    ).status,
    500,
  )
  await db.kysely.schema.alterTable('away').renameTo('drafts').execute()
  const failed = lines.filter(line => line.includes('request failed'))
  t.match(failed.join(), /"code":"42P01"/, 'the log names the database’s error code')
  t.notMatch(lines.join(), /Nobody else may read this/)
})

t.test('no store is created when the platform answers with the record of another shop', async t => {
  const foreign = await shop.idToken({
    iss: `https://${secondShop}`,
    dest: `https://${secondShop}`,
  })
  const response = await engine.app.inject({
    method: 'POST',
    url: '/auth',
    payload: { idToken: foreign },
  })
  t.equal(response.statusCode, 502)
  t.equal((await db.kysely.selectFrom('stores').select('shop').execute()).length, 1)
})
