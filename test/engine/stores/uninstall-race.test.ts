import { sql } from 'kysely'
import t from 'tap'
import { holdAnswers } from '../support/shops/held-requests.ts'
import { startWithShop } from '../support/with-shop.ts'

const { engine, shop, db, now, call, idToken, close } = await startWithShop()
t.teardown(close)
const { id: storeId } = await call('storeInfo', {})

t.test(
  'an app that is installed again before the answer to its uninstall arrives stays installed',
  async t => {
    const status = async () =>
      (await db.kysely.selectFrom('stores').select('status').executeTakeFirstOrThrow()).status
    const answer = holdAnswers(shop.app, ({ url }) => url === '/admin/api/uninstall')
    await call('uninstall', { params: { id: storeId }, body: { category: 'price', reason: '' } })
    const done = engine.runJobs()
    await answer.held
    await shop.delivered()
    t.equal(await status(), 'uninstalled', 'the platform’s webhook was faster')
    now.at = new Date(now.at.getTime() + 1_000)
    await shop.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/install' })
    const { token } = await call('auth', { body: { idToken: await idToken() } })
    answer.release()
    await done
    t.equal(await status(), 'installed')
    t.match(await call('storeInfo', {}, token), { id: storeId }, 'the new sign-in is valid')
    t.match(await db.kysely.selectFrom('platform_tokens').selectAll().execute(), [Object])
    t.match(
      await db.kysely
        .selectFrom('jobs')
        .select('kind')
        .where('kind', '=', 'storeErasure')
        .where('status', 'not in', ['completed', 'errored'])
        .execute(),
      [],
      'nothing is going to be erased',
    )
    t.match(
      await db.kysely
        .selectFrom('jobs')
        .select(['status', 'message'])
        .where('kind', '=', 'uninstall')
        .execute(),
      [{ status: 'completed', message: /installed again since/ }],
    )
    await sql`delete from uninstalls`.execute(db.kysely)
  },
)

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
