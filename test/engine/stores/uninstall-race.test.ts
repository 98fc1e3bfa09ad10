import { sql } from 'kysely'
import t from 'tap'
import { startWithShop } from '../support/with-shop.ts'

const { shop, db, now, call, close } = await startWithShop()
t.teardown(close)
const { id: storeId } = await call('storeInfo', {})

// PGlite has one connection: nothing comes between the statements of a transaction.
const onPostgres = { skip: Boolean(db.pglite) && 'for Postgres, where a job may be half way' }
t.test(
  'the webhook of an uninstall that our job is finishing adds no second one',
  onPostgres,
  async t => {
    now.at = new Date(now.at.getTime() + 60_000)
    await db.kysely.transaction().execute(async trx => {
      // As the job does at its end. Nobody else can read the uninstalls until it is over.
      await sql`select 1 from stores where store_id = ${storeId} for no key update`.execute(trx)
      await sql`lock table uninstalls in access exclusive mode`.execute(trx)
      await shop.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/uninstall' })
      const isWaiting = async () =>
        (
          await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
            db.kysely,
          )
        ).rows.length > 0
      while (!(await isWaiting()));
      await sql`update stores set status = 'uninstalled' where store_id = ${storeId}`.execute(trx)
      await sql`insert into uninstalls (store_id, uninstall_id, category, requested_at, finished_at, kept)
      values (${storeId}, 'of-the-job', 'price', ${now.at}, ${now.at}, '[]')`.execute(trx)
    })
    await shop.delivered()
    t.match(await db.kysely.selectFrom('uninstalls').select('uninstall_id').execute(), [
      { uninstall_id: 'of-the-job' },
    ])
    t.equal((await db.kysely.selectFrom('uninstalls').select('uninstall_id').execute()).length, 1)
  },
)
