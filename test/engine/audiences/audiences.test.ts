import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import type { AudienceInput } from '../../../domain/audiences/audience.ts'
import { builtInAudiences } from '../../../domain/audiences/audience-match.ts'
import { audienceProblems } from '../../../engine/audiences/audiences.ts'
import { startEngine } from '../support/engine.ts'
import { like } from '../support/like.ts'
import { seedTest } from '../support/seeds.ts'

const { engine, call, db, now, token, close } = await startEngine()
t.teardown(close)
const { id: storeId } = await call('storeInfo', {})
const values: AudienceInput['values'] = { 7: { operator: 'Equals', value: 'GB' } }
const make = (name: string, over: Partial<AudienceInput> = {}) =>
  call('createAudience', { body: { name, values, ...over } })
const testWith = async (audienceId: string, over: Parameters<typeof seedTest>[2] = {}) => {
  const id = await seedTest(db, storeId, over)
  await sql`update tests set audience_ids = ${JSON.stringify([audienceId])}::jsonb where store_id = ${storeId} and test_id = ${id}`.execute(
    db.kysely,
  )
  return id
}

t.test('custom audiences by name, then the built-in ones', async t => {
  t.same(
    (await call('audiences', {})).map(({ name, isBuiltIn }) => [name, isBuiltIn]),
    builtInAudiences.map(({ name }) => [name, true]),
  )
  const made = await make('  Spring ', {
    values: {
      3: { operator: 'Contains', value: ' spring ' },
      0: { operator: 'DoesNotEqual', value: 'Direct' },
    },
  })
  t.match(made, {
    name: 'Spring',
    isBuiltIn: false,
    createdAt: now.at.toISOString(),
    updatedAt: now.at.toISOString(),
  })
  t.same(made.values, {
    0: { operator: 'DoesNotEqual', value: 'Direct' },
    3: { operator: 'Contains', value: 'spring' },
  })
  const other = await make('autumn')
  const listed = await call('audiences', {})
  t.same(listed.slice(0, 2), [other, made])
  t.equal(listed.length, 7)
})

t.test('audience names are unique within a store, ignoring case', async t => {
  const { id } = await make('Britons')
  const taken = like({ status: 409, problem: { fields: [{ field: 'name' }] } })
  await t.rejects(make('BRITONS'), taken)
  await t.rejects(make('everyone'), taken, 'the name of a built-in audience is taken too')
  const { id: second } = await make('Scots')
  await t.rejects(
    call('updateAudience', { params: { id: second }, body: { name: ' britons ', values } }),
    taken,
  )
  t.match(
    await call('updateAudience', { params: { id }, body: { name: 'BRITONS', values } }),
    { id, name: 'BRITONS' },
    'an audience can keep its own name',
  )
})

t.test('of audiences created at the same time with one name, only one is stored', async t => {
  const answers = await Promise.allSettled([make('Twins'), make('twins'), make('TWINS')])
  t.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1)
})

t.test('invalid input is refused, and the error names the field', async t => {
  const post = async (payload: object) => {
    const response = await engine.app.inject({
      method: 'POST',
      url: '/api/v0/audiences',
      payload,
      headers: { authorization: `Bearer ${token}` },
    })
    return [
      response.statusCode,
      response.json<{ fields?: { field: string }[] }>().fields?.map(({ field }) => field),
    ]
  }
  t.same(await post({ name: '   ', values }), [400, ['name']])
  t.same(await post({ name: 'x', values: {} }), [400, ['values']])
  t.same(await post({ name: 'x', values: { 7: { operator: 'Equals', value: '  ' } } }), [
    400,
    ['values.7.value'],
  ])
  t.same(await post({ name: 'x', values: { 7: { operator: 'Is', value: 'GB' } } }), [
    400,
    ['values.7.operator'],
  ])
  t.same(await post({ name: 'x', values: { 99: { operator: 'Equals', value: 'GB' } } }), [
    400,
    ['values.99'],
  ])
  t.same(await post({ name: 'x', values, storeId }), [400, ['storeId']])
})

t.test('the audience of an unfinished test cannot be deleted or get new conditions', async t => {
  const audience = await make('Kept')
  const other = { 7: { operator: 'Equals' as const, value: 'FR' } }
  t.same(await call('audienceActiveTest', { params: { id: audience.id } }), { test: null })
  for (const status of ['Active', 'Paused', 'OnHold', 'Suspended', 'Scheduled'] as const) {
    const id = await testWith(audience.id, { status, title: `A ${status} test` })
    t.same(
      await call('audienceActiveTest', { params: { id: audience.id } }),
      { test: status === 'Active' ? { id, title: 'A Active test', status } : null },
      status,
    )
    const used = like({ status: 409, message: new RegExp(`A ${status} test`) })
    await t.rejects(call('deleteAudience', { params: { id: audience.id } }), used, status)
    await t.rejects(
      call('updateAudience', {
        params: { id: audience.id },
        body: { name: 'Kept', values: other },
      }),
      used,
      status,
    )
    t.match(
      await call('updateAudience', {
        params: { id: audience.id },
        body: { name: `Kept ${status}`, values },
      }),
      { name: `Kept ${status}` },
      'the name can change',
    )
    await db.kysely
      .updateTable('tests')
      .set({ status: 'Ended', ended_at: now.at })
      .where('test_id', '=', id)
      .execute()
  }
  t.match(
    await call('updateAudience', {
      params: { id: audience.id },
      body: { name: 'Kept', values: other },
    }),
    { values: other },
  )
  t.same(await call('deleteAudience', { params: { id: audience.id } }), { ok: true })
  await t.rejects(
    call('audienceActiveTest', { params: { id: audience.id } }),
    like({ status: 404 }),
  )
})

t.test('audienceActiveTest names the latest of several running tests', async t => {
  const { id } = await make('Busy')
  await testWith(id, { title: 'First', start_at: new Date('2026-11-01T00:00:00Z') })
  const latest = await testWith(id, { title: 'Second', start_at: new Date('2026-11-05T00:00:00Z') })
  t.match(await call('audienceActiveTest', { params: { id } }), {
    test: { id: latest, title: 'Second' },
  })
})

t.test('built-in audiences cannot be changed or deleted', async t => {
  const { id } = builtInAudiences[0]!
  await t.rejects(
    call('updateAudience', { params: { id }, body: { name: 'Nobody', values } }),
    like({ status: 409 }),
  )
  await t.rejects(call('deleteAudience', { params: { id } }), like({ status: 409 }))
  const test = await testWith(id)
  t.match(await call('audienceActiveTest', { params: { id } }), { test: { id: test } })
})

t.test('an id that does not belong to the store is a 404', async t => {
  for (const id of [randomUUID(), 'nonsense']) {
    await t.rejects(
      call('updateAudience', { params: { id }, body: { name: 'x', values } }),
      like({ status: 404 }),
    )
    await t.rejects(call('deleteAudience', { params: { id } }), like({ status: 404 }))
    await t.rejects(call('audienceActiveTest', { params: { id } }), like({ status: 404 }))
  }
})

t.test('a plan without custom audiences can read them but not change them', async t => {
  const { id } = await make('Before')
  const plan = (plan_id: string, feature_flags = '[]') =>
    db.kysely
      .updateTable('stores')
      .set({ plan_id, feature_flags })
      .where('store_id', '=', storeId)
      .execute()
  await plan('core-50k-monthly')
  const refused = like({ status: 403, message: /Custom audiences come with the Advanced plan/ })
  await t.rejects(make('After'), refused)
  await t.rejects(
    call('updateAudience', { params: { id }, body: { name: 'After', values } }),
    refused,
  )
  await t.rejects(call('deleteAudience', { params: { id } }), refused)
  await t.rejects(call('previewAudience', { body: { values } }), refused)
  await t.rejects(call('previewAudience', { body: { audienceIds: [id] } }), refused)
  t.match(
    await call('previewAudience', { body: { audienceIds: [builtInAudiences[1]!.id] } }),
    { isBlind: false },
    'a built-in audience belongs to every plan',
  )
  t.ok(
    (await call('audiences', {})).some(
      audience => audience.id === id && audience.name === 'Before',
    ),
  )
  await plan('core-50k-monthly', '["CustomAudiences"]')
  t.match(await make('After'), { name: 'After' }, 'the feature flag allows it')
  await plan('advanced-100k-monthly')
  t.same(await call('deleteAudience', { params: { id } }), { ok: true })
})

t.test('a draft that names a deleted audience gets a problem at that field', async t => {
  const { id } = await make('Going')
  t.same(await audienceProblems({ db }, storeId, [id, builtInAudiences[1]!.id]), [])
  await call('deleteAudience', { params: { id } })
  t.same(
    (await audienceProblems({ db }, storeId, [builtInAudiences[1]!.id, id, 'nonsense'])).map(
      ({ field }) => field,
    ),
    ['audienceIds.1', 'audienceIds.2'],
  )
  t.same(
    (await audienceProblems({ db }, randomUUID(), [(await make('Ours')).id])).length,
    1,
    'an audience of another store counts as deleted',
  )
})
