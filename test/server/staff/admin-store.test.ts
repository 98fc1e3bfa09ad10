import t from 'tap'
import { run } from '../../../engine/db/raw.ts'
import { seedStore, seedTest } from '../../engine/support/seeds.ts'
import { textOf } from '../support/merchant.ts'
import { startStaff } from '../support/staff.ts'

const {
  merchant,
  staff: { get, post },
  close,
} = await startStaff()
t.teardown(close)
const {
  engine: { engine, db, now },
} = merchant
const { id: storeId } = await merchant.call('storeInfo', {})
const storePage = `/admin/stores/trials/${storeId}`
const nobody = '00000000-0000-4000-8000-000000000000'

t.test('a recount is confirmed first, and the store’s page shows its state', async t => {
  const testId = await seedTest(db, storeId, { title: 'Counted "twice"' })
  const open = (html: string) =>
    [...html.matchAll(/<dialog ([^>]*)>/g)]
      .filter(([, attributes]) => /\bopen\b/.test(attributes!))
      .map(([, attributes]) => /id="([^"]*)"/.exec(attributes!)![1])
  const page = await get(storePage)
  t.same(open(page.body), [])
  t.match(page.body, `href="${storePage}?ask=recount" data-modal="recount"`)
  t.match(textOf(page.body), /Staff have not asked for a recount/)
  t.same(open((await get(`${storePage}?ask=recount`)).body), ['recount'])
  const asked = await get(`${storePage}?ask=recount&test=${testId}`)
  t.same(open(asked.body), ['recount-test'])
  t.match(textOf(asked.body), /Count “Counted "twice"” again\? .* browsers keep them/)
  t.same(open((await get(`${storePage}?ask=recount&test=${nobody}`)).body), [])

  t.match(await post(`${storePage}/recount`, { test: testId }), {
    statusCode: 303,
    headers: { location: storePage },
  })
  now.at = new Date(now.at.getTime() + 5_000)
  await engine.runJobs()
  const done = await get(storePage)
  t.match(
    textOf(done.body),
    /Figures Count again… .* Demo staff Counted "twice" Done, .* “Counted "twice"” was counted again/,
  )
  t.match(textOf(done.body), /Asked for a recount: “Counted "twice"”/)
  t.notMatch(done.body, 'hx-trigger="every 2s"')
  await run(
    db.kysely,
    `insert into jobs (store_id, job_id, kind, payload, state, status, message, progress, run_at, created_at, updated_at)
     values ($1, gen_random_uuid(), 'rebuild', '{}', '{}', 'queued', 'Counting all figures of the store again', 0.1, $2::timestamptz + interval '1 day', $2, $2)`,
    [storeId, new Date(now.at.getTime() + 1000)],
  )
  const running = await get(storePage)
  t.match(textOf(running.body), /All figures Waiting, 10% Counting all figures/)
  t.match(running.body, /id="figures"[^>]*hx-trigger="every 2s"/)
  for (const [path, test] of [
    [storePage, nobody],
    [`/admin/stores/trials/${nobody}`, ''],
  ] as const)
    t.equal((await post(`${path}/recount`, { test })).statusCode, 404)
})

t.test('why a store left is on its page and on the first page', async t => {
  const gone = await seedStore(db, {
    shop: 'gone.demo-shop.test',
    name: 'Gone Home',
    status: 'uninstalled',
  })
  const path = `/admin/stores/trials/${gone}`
  t.match(textOf((await get('/admin')).body), /No store has uninstalled Twinshelf in the last 30/)
  t.match(textOf((await get(path)).body), /This store has uninstalled Twinshelf \. /)
  await run(
    db.kysely,
    `insert into uninstalls (store_id, uninstall_id, category, reason, requested_at, finished_at, kept) values ($1, 'u', 'price', 'Too <b>slow</b>', $2, $2, '[]')`,
    [gone, now.at],
  )
  const page = await get(path)
  t.match(
    textOf(page.body),
    /This store has uninstalled Twinshelf on .* UTC\. It costs too much\. “Too <b>slow<\/b>” .* Uninstalls .* It costs too much Too <b>slow<\/b>/,
  )
  t.notMatch(page.body, 'ask=recount', 'its figures cannot be counted again')
  t.match(
    textOf((await get('/admin')).body),
    /Uninstalls 1 in 30 days It costs too much: 1 .* Gone Home gone\.demo-shop\.test .* It costs too much Too <b>slow<\/b>/,
  )
  await run(db.kysely, `update uninstalls set category = null, reason = null`, [])
  t.match(textOf((await get(path)).body), /Removed in the shop’s admin, without a reason/)
})
