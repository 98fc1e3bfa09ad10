import type { IncomingMessage } from 'node:http'
import { sql } from 'kysely'
import t from 'tap'
import { quotas } from '../../../../domain/quota.ts'
import { like } from '../../support/like.ts'
import { seedTest } from '../../support/seeds.ts'
import { startWithShop } from '../../support/with-shop.ts'

const { call, db, now, shop, close } = await startWithShop()
t.teardown(close)
const { id: storeId } = await call('storeInfo', {})

t.test('an audience that is deleted during the checks of a launch stops the launch', async t => {
  const { id: audience } = await call('createAudience', {
    body: { name: 'From search', values: { 2: { operator: 'Equals', value: 'search' } } },
  })
  const { id } = await call('createDraft', {
    body: {
      kind: 'UrlRedirect',
      title: 'For some',
      controlUrl: '/pages/gift-guide',
      redirectUrl: '/pages/about',
      audienceIds: [audience],
    },
  })
  const { server } = shop.app,
    emit = server.emit.bind(server)
  let asked = 0
  // The launch checks the audiences before the pages.
  server.emit = (name: string, ...given: unknown[]) => {
    const [request] = given as [IncomingMessage]
    if (name !== 'request' || request.url !== '/pages/about' || asked++ > 0)
      return emit(name, ...given)
    void call('deleteAudience', { params: { id: audience } }).then(() => emit(name, ...given))
    return true
  }
  t.teardown(() => {
    server.emit = emit
  })
  await t.rejects(
    call('launchDraft', { params: { id } }),
    like({ status: 400, problem: { fields: [{ field: 'audienceIds.0' }] } }),
  )
  t.equal(asked > 0, true)
  t.match(await call('draft', { params: { id } }), { title: 'For some' }, 'the draft stays')
})

t.test('the number of a store’s tests is limited', async t => {
  const { id } = await call('createDraft', { body: { kind: 'PageElement', title: 'One more' } })
  const test = await seedTest(db, storeId, { ended_at: now.at })
  await sql`insert into tests select (jsonb_populate_record(t, jsonb_build_object('test_id', gen_random_uuid(), 'draft_id', gen_random_uuid(),
      'control_hypothesis_id', gen_random_uuid(), 'variant_hypothesis_id', gen_random_uuid()))).* from tests t, generate_series(2, ${quotas.tests}::int) where t.test_id = ${test}`.execute(
    db.kysely,
  )
  await t.rejects(
    call('launchDraft', { params: { id } }),
    like({ status: 409, problem: { message: /at most 2000 tests/ } }),
  )
})
