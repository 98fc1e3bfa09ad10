import { sql } from 'kysely'
import t from 'tap'
import { addDue, prune } from '../../../../engine/operators/schedule.ts'
import { startWithShop } from '../../support/with-shop.ts'

const day = 86_400_000
const { engine, db, now, call, close } = await startWithShop()
t.teardown(close)
const { id: store } = await call('storeInfo', {})
const pass = async (milliseconds: number) => {
  now.at = new Date(now.at.getTime() + milliseconds)
  await engine.runJobs()
}
const stored = () =>
  db.kysely.selectFrom('stores').select(['email', 'erased_at']).executeTakeFirstOrThrow()

t.test('a store’s erasure whose job was deleted is planned again', async t => {
  await call('uninstall', { params: { id: store }, body: { category: 'other', reason: '' } })
  await engine.runJobs()
  // As in an older version: the job ended in an error without more retries, and was deleted after a month.
  await sql`update jobs set status = 'errored', updated_at = ${now.at} where kind = 'storeErasure'`.execute(
    db.kysely,
  )
  await pass(31 * day)
  await prune(db, now.at)
  t.match(await stored(), { erased_at: null })
  await addDue(db, now.at)
  await addDue(db, now.at)
  await engine.runJobs()
  t.match(await stored(), { email: null, erased_at: now.at })
})

t.test('an erasure that is requested again while it runs is done again', async t => {
  await sql`update stores set erased_at = null, email = 'late@shop.test'`.execute(db.kysely)
  await sql`create function again() returns trigger language plpgsql as
    'begin update jobs set rerun_at = now() where kind = ''storeErasure''; return new; end'`.execute(
    db.kysely,
  )
  await sql`create trigger again after insert on erasures for each row execute function again()`.execute(
    db.kysely,
  )
  await addDue(db, now.at)
  await engine.runJobs()
  await pass(day)
  const jobs = await db.kysely
    .selectFrom('jobs')
    .select(['status', 'attempts'])
    .where('kind', '=', 'storeErasure')
    .where('updated_at', '>=', new Date(now.at.getTime() - 2 * day))
    .execute()
  t.ok(jobs.length > 0)
  t.ok(jobs.every(job => job.status === 'completed' && job.attempts === 0))
  t.match(await stored(), { email: null })
})
