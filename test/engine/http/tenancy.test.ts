import { queryOf } from '../support/walk/required-query.ts'
import t from 'tap'
import type { Call } from '../../../domain/api/call.ts'
import { callPath } from '../../../domain/api/call.ts'
import { type CallName, contract } from '../../../domain/api/contract.ts'
import { run } from '../../../engine/db/raw.ts'
import { fc } from '../../properties.ts'
import { fitting, type Schema } from '../fuzz/arbitraries.ts'
import { furnish } from '../fuzz/furnish.ts'
import { fingerprint } from '../fuzz/requests.ts'
import { seedStore } from '../support/seeds.ts'
import { secondShop } from '../support/small-shop.ts'
import { startWithShop, withAllChanges } from '../support/with-shop.ts'

const started = await startWithShop({}, {}, withAllChanges)
const {
  engine: { app },
  db,
  call,
  idToken,
  token,
  close,
} = started
t.teardown(close)
const own = await furnish(started)
const foreign = await seedStore(db, {
  shop: secondShop,
  feature_flags: '["PriceTesting","DomTesting"]',
})
const { token: foreignToken } = await call('auth', {
  body: { idToken: await idToken({ iss: `https://${secondShop}`, dest: `https://${secondShop}` }) },
})
await run(
  db.kysely,
  `insert into network_visitors (store_id, visitor_id, network, seen_at) values ($1, 'visitor-seen', 'own-network-of-22-chars', now())`,
  [own.storeId],
)
const rows = Object.entries<Call>(contract) as [CallName, Call][]

/**
 * The store's own ids for each kind of path. Plans and discount codes belong to the product and are
 * the same for every store.
 */
const owners: [path: RegExp, params: Record<string, string>][] = [
  [/\/plans\/:id\/subscribe|\/check\/:code/, {}],
  [/\/custom-request\/:id/, { id: own.leadId }],
  [/\/stores\/:id|-products\/store\/:id|\/products\/search/, { id: own.storeId }],
  [/\/variants$/, { id: own.storeId, productId: own.shopProduct }],
  [/-products\/test\/:id/, { id: own.priceDraft }],
  [/-products\/:a\/:b/, { a: 'test', b: own.priceDraft }],
  [/-products\/:id/, { id: own.product }],
  [/\/store-jobs\/:id/, { id: own.job }],
  [/\/hypotheses\/:id/, { id: own.hypothesis, device: 'desktop' }],
  [/\/test-drafts\/:id/, { id: own.draft }],
  [/\/tests\/:id/, { id: own.test, metric: 'ConversionRate' }],
  [/\/audiences\/:id/, { id: own.audience }],
  [/\/networks\/:network/, { network: 'own-network-of-22-chars' }],
  [/\/themes\/:id/, { id: own.theme }],
]
const paramsOf = ({ path }: Call) => owners.find(([pattern]) => pattern.test(path))?.[1]
/**
 * Whether the body has only storable characters. Others are refused before the engine looks for the
 * id.
 */
const isStorable = (body: unknown): boolean => !/\\u(0000|d[89a-f])/.test(JSON.stringify(body))
const withId = rows.filter(([, { params }]) => params)

t.test('this table has an id of the store for every path with an id', async t => {
  for (const [name, row] of withId) {
    const params = paramsOf(row)
    t.ok(params, name)
    if (params && Object.keys(params).length > 0)
      for (const param of Object.keys((row.params as Schema).properties!))
        t.ok(params[param], `${name}: ${param}`)
  }
})

t.test('the token of another store finds nothing by any id, and changes nothing', async t => {
  const before = await fingerprint(db)
  for (const [name, row] of withId) {
    const params = paramsOf(row)!
    if (Object.keys(params).length === 0) continue
    const query = queryOf(row)
    const [body] = row.body
      ? fc.sample(fitting(row.body as Schema).filter(isStorable), { numRuns: 1, seed: 7 })
      : [undefined]
    const response = await app.inject({
      method: row.method,
      url: callPath(row.path, 'demo', params) + query,
      headers: { authorization: `Bearer ${foreignToken}` },
      ...(body !== undefined && { payload: body as object }),
    })
    t.equal(
      response.statusCode,
      404,
      `${name} ${response.statusCode === 404 ? '' : response.body.slice(0, 200)}`,
    )
  }
  t.equal(await fingerprint(db), before)
})

t.test('lists and the store call return only what belongs to the caller', async t => {
  const theirs = await call('tests', { query: {} }, foreignToken)
  t.match(theirs, { tests: [], count: 0, counts: { Paused: 0, Draft: 0 } })
  t.equal((await call('tests', { query: { status: 'Draft' } }, foreignToken)).drafts.length, 0)
  t.match(await call('storeInfo', {}, foreignToken), { id: foreign, shop: secondShop })
  t.notMatch(JSON.stringify(await call('audiences', {}, foreignToken)), 'Britons')
  t.match(await call('tests', { query: {} }), {
    count: 2,
    counts: { Paused: 1, Ended: 1, Draft: 2 },
  })
})

t.test('every call needs a token, except the calls that say otherwise', async t => {
  for (const [name, row] of rows) {
    const url = callPath(
      row.path,
      'demo',
      Object.fromEntries(
        Object.keys((row.params as Schema | undefined)?.properties ?? {}).map(param => [
          param,
          'x',
        ]),
      ),
    )
    for (const headers of [
      {},
      { authorization: 'Bearer nonsense' },
      { authorization: token },
      { cookie: `ts_fern-and-kiln=${token}` },
    ]) {
      const { statusCode } = await app.inject({ method: row.method, url, headers })
      if (row.token === false) t.not(statusCode, 401, name)
      else t.equal(statusCode, 401, name)
    }
  }
})

t.test('a token in the query does not count', async t => {
  t.equal((await app.inject(`/api/v0/stores/info?access_token=${token}`)).statusCode, 401)
})
