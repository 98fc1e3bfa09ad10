import { createContext, runInContext } from 'node:vm'
import { sql } from 'kysely'
import t from 'tap'
import { quotas } from '../../../domain/quota.ts'
import type { ScriptConfig } from '../../../domain/script/script-config.ts'
import { canMove, testStatuses } from '../../../domain/tests/test-status.ts'
import { startEngine } from '../support/engine.ts'
import { seedTest } from '../support/seeds.ts'
import { seedSummary } from '../support/summaries.ts'
import { like } from '../support/like.ts'

const { db, shop, now, call, close } = await startEngine()
t.teardown(close)
const store = (await call('storeInfo', {})).id
const day = 86_400_000
const begun = new Date('2026-11-02T12:00:00Z')

async function newTest(over: Parameters<typeof seedTest>[2] = {}): Promise<string> {
  const id = await seedTest(db, store, { start_at: begun, ...over })
  await seedSummary(db, store, id, [0, 0])
  return id
}
const put = (id: string, body: Parameters<typeof call<'updateTest'>>[1]['body']) =>
  call('updateTest', { params: { id }, body })

t.test('a test needs a name: blanks are refused at the field, and nothing is stored', async t => {
  const id = await newTest({})
  await t.rejects(
    put(id, { title: '  ', variantTitle: 'Other' }),
    like({
      status: 400,
      problem: { fields: [{ field: 'title', message: 'Give the test a name.' }] },
    }),
  )
  t.match(await call('test', { params: { id } }), { title: /\S/, variantTitle: 'Variant' })
})

/** Makes a test with a history of this many lines. */
async function oftenChanged(
  lines: number,
  over: Parameters<typeof seedTest>[2] = {},
): Promise<string> {
  const id = await newTest(over)
  await sql`insert into test_events (store_id, test_id, kind, at, detail)
    select store_id, test_id, 'Modified', ${now.at}::timestamptz, 'Change ' || n from tests, generate_series(1, ${lines}::int) n where test_id = ${id}`.execute(
    db.kysely,
  )
  return id
}
const tooOften = like({ status: 409, problem: { message: /changed too often/ } })

t.test('the changes of a test are limited, but it can always be paused and ended', async t => {
  const id = await oftenChanged(quotas.testChanges)
  await t.rejects(put(id, { title: 'Another name' }), tooOften)
  const schedule = (automaticallyEndAt: string | null) =>
    call('scheduleTest', { params: { id }, body: { automaticallyEndAt } })
  await t.rejects(schedule(new Date(now.at.getTime() + 30 * day).toISOString()), tooOften)
  t.equal((await put(id, { status: 'Paused' })).status, 'Paused')
  await t.rejects(put(id, { status: 'Active' }), tooOften)
  t.equal((await put(id, { status: 'Ended' })).status, 'Ended')
  const held = await oftenChanged(quotas.testChanges, { kind: 'Theme', status: 'OnHold' })
  await t.rejects(call('setTestVariant', { params: { id: held }, body: {} }), tooOften)
})

t.test('arms can always be applied: a full history keeps only the last application', async t => {
  const id = await oftenChanged(quotas.testChanges - 2)
  const apply = (arm: 'control' | 'variant') => call('applyTest', { params: { id }, body: { arm } })
  for (let n = 0; n < 3; n++) {
    t.equal((await apply('variant')).events.at(-1)!.detail, 'Variant applied')
    t.equal((await apply('control')).events.at(-1)!.detail, 'Control applied')
  }
  t.same(
    (await call('test', { params: { id } })).events
      .slice(quotas.testChanges - 2)
      .map(e => e.detail),
    [null, 'Variant applied', 'Control applied'],
  )
})

t.test('an answer holds only the newest lines of a very long history', async t => {
  const id = await oftenChanged(3 * quotas.testChanges)
  const { events } = await call('test', { params: { id } })
  t.equal(events.length, 2 * quotas.testChanges)
  t.equal(events.at(-1)!.detail, `Change ${3 * quotas.testChanges}`)
})

t.test('every change of status is either in the table or refused with a message', async t => {
  const words = {
    Scheduled: 'scheduled',
    Active: 'running',
    Paused: 'paused',
    OnHold: 'on hold',
    Suspended: 'suspended',
    Ended: 'ended',
  }
  for (const from of testStatuses)
    for (const to of testStatuses) {
      const id = await newTest({ status: from, ...(from === 'Scheduled' && { start_at: null }) })
      if (canMove('merchant', from, to)) {
        const test = await put(id, { status: to })
        t.equal(test.status, to, `${from} to ${to}`)
        t.match(test.statusHistory.at(-1), { status: to })
        t.equal(
          test.events.at(-1)!.kind,
          { Active: 'Start', Paused: 'Paused', Ended: 'End' }[to as 'Active' | 'Paused' | 'Ended'],
        )
      } else {
        await t.rejects(
          put(id, { status: to }),
          like({
            status: 409,
            problem: { message: `A test that is ${words[from]} cannot become ${words[to]}.` },
          }),
          `${from} to ${to}`,
        )
        t.match(await call('test', { params: { id } }), { status: from })
      }
    }
})

t.test(
  'a pause unpublishes at once; a resume publishes and moves the end by the whole days of the pause',
  async t => {
    const id = await newTest({ ends_at: new Date(begun.getTime() + 14 * day) })
    now.at = new Date(begun.getTime() + 3 * day)
    await put(id, { status: 'Paused' })
    t.notMatch(shop.scripts.at(-1), id)
    now.at = new Date(begun.getTime() + 5.9 * day)
    const resumed = await put(id, { status: 'Active' })
    t.match(shop.scripts.at(-1), id)
    t.equal(Date.parse(resumed.endsAt!), begun.getTime() + 16 * day, '2.9 days are two whole days')
    t.equal(resumed.startAt, begun.toISOString(), 'the start stays')
    t.match(resumed.events.at(-1), { kind: 'Start', detail: 'Resumed', at: now.at.toISOString() })
    await put(id, { status: 'Paused' })
    now.at = new Date(now.at.getTime() + 0.5 * day)
    t.equal(
      (await put(id, { status: 'Active' })).endsAt,
      resumed.endsAt,
      'half a day moves nothing',
    )
    now.at = new Date(now.at.getTime() + day)
    const ended = await put(id, { status: 'Ended' })
    t.equal(ended.endedAt, now.at.toISOString())
    t.same(
      ended.statusHistory.map(h => h.status),
      ['Active', 'Paused', 'Active', 'Paused', 'Active', 'Ended'],
    )
    t.notMatch(shop.scripts.at(-1), id)
  },
)

t.test('of two pauses at once, one succeeds and the other is a conflict', async t => {
  const id = await newTest()
  const both = await Promise.allSettled([
    put(id, { status: 'Paused' }),
    put(id, { status: 'Paused' }),
  ])
  t.same(both.map(one => one.status).sort(), ['fulfilled', 'rejected'])
  t.match(
    both.find(one => one.status === 'rejected'),
    { reason: { status: 409 } },
  )
})

t.test(
  'titles of a running test may change, and the history says so; a refused status changes no title',
  async t => {
    const id = await newTest({ title: 'Old' })
    const renamed = await put(id, {
      title: 'New',
      controlTitle: 'Control',
      hypothesisDescription: 'Because.',
    })
    t.match(renamed, { title: 'New', hypothesisDescription: 'Because.', status: 'Active' })
    t.match(renamed.events.at(-1), { kind: 'Modified', detail: 'Name, Hypothesis changed' })
    t.equal(
      (await put(id, { title: 'New' })).events.length,
      renamed.events.length,
      'saving the same name is no change',
    )
    await t.rejects(put(id, { title: 'Newer', status: 'Scheduled' }), like({ status: 409 }))
    t.equal((await call('test', { params: { id } })).title, 'New')
    for (const body of [
      { title: '' },
      { weights: [0.1, 0.9] },
      { status: 'Running' },
      { title: 'x'.repeat(121) },
    ])
      await t.rejects(put(id, body as object), like({ status: 400 }))
  },
)

t.test('a running test cannot be deleted, any other can', async t => {
  const id = await newTest()
  await t.rejects(
    call('deleteTest', { params: { id } }),
    like({ status: 409, problem: { message: /End it first/ } }),
  )
  await put(id, { status: 'Ended' })
  await db.kysely
    .insertInto('test_changes')
    .values({ store_id: store, test_id: id, changed: 1, orders_changed: 0 })
    .execute()
  t.same(await call('deleteTest', { params: { id } }), { ok: true })
  await t.rejects(call('test', { params: { id } }), like({ status: 404 }))
  await t.rejects(call('deleteTest', { params: { id } }), like({ status: 404 }))
  t.equal(
    (
      await db.kysely
        .selectFrom('test_changes')
        .select('test_id')
        .where('test_id', '=', id)
        .execute()
    ).length,
    0,
    'no row of it is left',
  )
})

t.test(
  'after a test is deleted, the script takes shoppers off its theme or template while a browser may still keep it',
  async t => {
    const target = (over: object) =>
      JSON.stringify({
        templateType: null,
        suffix: null,
        themeId: null,
        url: null,
        isOurs: false,
        hash: null,
        ...over,
      })
    const ago = (days: number) => new Date(now.at.getTime() - days * day)
    const seed = (over: Parameters<typeof seedTest>[2]) =>
      newTest({
        kind: 'Theme',
        control_target: target({ themeId: '1' }),
        variant_target: target({ themeId: '2' }),
        start_at: ago(40),
        ...over,
      })
    const paused = await seed({ status: 'Paused' }),
      ended = await seed({ status: 'Ended', ended_at: ago(29) }),
      longOver = await seed({ status: 'Ended', ended_at: ago(31) }),
      applied = await seed({ status: 'Ended', ended_at: ago(1), applied_arm: 'variant' })
    const template = await seed({
      kind: 'Template',
      status: 'Paused',
      control_target: target({ templateType: 'product', suffix: '' }),
      variant_target: target({ templateType: 'product', suffix: 'story' }),
    })
    const never = await seed({ status: 'Scheduled', start_at: null })
    await db.kysely
      .updateTable('tests')
      .set({ start_at: null })
      .where('test_id', '=', never)
      .execute()
    const all = [paused, ended, longOver, applied, template, never]
    /** The entries of these tests in the script of the next publication. */
    const told = async () => {
      await put(await newTest(), { status: 'Ended' })
      const page = createContext({})
      runInContext(shop.scripts.at(-1)!, page)
      const { tests } = JSON.parse(
        JSON.stringify((page as { ran: ScriptConfig }).ran),
      ) as ScriptConfig
      return tests.filter(({ id }) => all.includes(id)).toSorted((a, b) => a.id.localeCompare(b.id))
    }
    const before = await told()
    t.same(new Set(before.map(({ id }) => id)), new Set([paused, ended, template]))
    for (const id of all) await call('deleteTest', { params: { id } })
    t.same(await told(), before, 'the same as before the deletion')
    await db.kysely
      .updateTable('script_leftovers')
      .set({ until: now.at })
      .where('test_id', '=', ended)
      .execute()
    t.same(
      (await told()).map(({ id }) => id).toSorted(),
      [paused, template].toSorted(),
      'only until that time',
    )
    await call('deleteTest', { params: { id: await seed({ status: 'Paused' }) } })
    t.same(
      await db.kysely
        .selectFrom('script_leftovers')
        .select('until')
        .where('test_id', '=', ended)
        .execute(),
      [],
      'and its row is deleted',
    )
  },
)
