import t from 'tap'
import { startEngine } from '../support/engine.ts'
import { seedTest } from '../support/seeds.ts'

const { engine, db, shop, now, call, close } = await startEngine()
t.teardown(close)
const { id: store } = await call('storeInfo', {})

t.test('a start that comes while the shop cannot be reached is put off, not given up', async t => {
  const target = JSON.stringify({
    templateType: 'page',
    suffix: '',
    themeId: null,
    url: null,
    isOurs: false,
    hash: null,
  })
  const launch_at = new Date(now.at.getTime() - 1000)
  const id = await seedTest(db, store, {
    kind: 'Template',
    status: 'Scheduled',
    start_at: null,
    launch_at,
    control_target: target,
    variant_target: target.replace('""', '"guide"'),
  })
  const job = {
    store_id: store,
    job_id: crypto.randomUUID(),
    kind: 'scheduledStart' as const,
    key: `start:${id}`,
    payload: JSON.stringify({ testId: id }),
    state: '{}',
    status: 'queued' as const,
    progress: 0,
    message: null,
    run_at: launch_at,
    created_at: now.at,
    updated_at: now.at,
  }
  shop.isDown = true
  await db.kysely.insertInto('jobs').values(job).execute()
  await engine.runJobs()
  t.match(await call('test', { params: { id } }), { status: 'Scheduled' })
  const [put, ...others] = await db.kysely
    .selectFrom('jobs')
    .select(['status', 'run_at'])
    .where('key', '=', `start:${id}`)
    .execute()
  t.same(others, [])
  t.match(put, { status: 'queued', run_at: new Date(now.at.getTime() + 60_000) })
})

t.test('a redirect’s page is gone only when the shop itself is there', async t => {
  const id = await seedTest(db, store, {
    kind: 'UrlRedirect',
    control_url: '/pages/gift-guide',
    redirect_url: '/pages/gone',
    start_at: now.at,
  })
  const pages = shop.pages.splice(0)
  const check = async () => {
    await db.kysely
      .insertInto('jobs')
      .values({
        store_id: store,
        job_id: crypto.randomUUID(),
        kind: 'testCheck',
        payload: '{}',
        state: '{}',
        status: 'queued',
        progress: 0,
        message: null,
        run_at: now.at,
        created_at: now.at,
        updated_at: now.at,
      })
      .execute()
    await engine.runJobs()
    return (await call('test', { params: { id } })).holdCause?.cause ?? null
  }
  t.equal(await check(), null, 'nothing answers')
  shop.pages.push(...pages)
  t.equal(await check(), 'pageGone')
})

t.test('a schedule that stays as it is is no change, and is not in the history', async t => {
  const automatically_end_at = new Date(now.at.getTime() + 30 * 86_400_000)
  const id = await seedTest(db, store, { start_at: now.at, automatically_end_at })
  for (const body of [{}, { automaticallyEndAt: automatically_end_at.toISOString() }]) {
    const test = await call('scheduleTest', { params: { id }, body })
    t.same(test.events, [])
    t.equal(test.automaticallyEndAt, automatically_end_at.toISOString())
  }
  const { events } = await call('scheduleTest', {
    params: { id },
    body: { automaticallyEndAt: null },
  })
  t.match(events, [{ detail: 'Schedule changed' }])
})
