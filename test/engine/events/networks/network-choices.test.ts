import { sql } from 'kysely'
import t from 'tap'
import { quotas, quotaWords } from '../../../../domain/quota.ts'
import { day, hour, second } from '../../../../domain/time-units.ts'
import { chooseNetwork } from '../../../../engine/events/networks/network-calls.ts'
import { networkMove } from '../../../../engine/events/networks/network-move-job.ts'
import { startJobs } from '../../../../engine/jobs/run.ts'
import { freshDb } from '../../support/harness.ts'
import { quietLog } from '../../support/quiet-log.ts'
import { seedStore } from '../../support/seeds.ts'
import { noon } from '../../support/traffic.ts'

// Without an engine, whose jobs would run at once.
const db = await freshDb()
t.teardown(() => db.close())
const storeId = await seedStore(db)
const now = { at: new Date(noon) },
  clock = () => now.at
const jobs = startJobs({ db, clock, log: quietLog })
jobs.on('networkMove', networkMove({ db, clock }))
t.teardown(() => jobs.stop())
const network = 'a-network-of-22-charact'

/** Makes 30 visitors of the network known, as if they had come an hour ago. */
async function seen() {
  await sql`delete from network_visitors`.execute(db.kysely)
  await sql`insert into network_visitors (store_id, visitor_id, network, seen_at)
    select ${storeId}, 'visitor-' || n, ${network}, ${new Date(now.at.getTime() - hour)} from generate_series(1, 30) n`.execute(
    db.kysely,
  )
}
const choose = (isCounted: boolean, by: 'merchant' | 'staff' = 'merchant') =>
  chooseNetwork({ db, clock }, storeId, network, isCounted, by)
const count = async (table: string, where = 'true') =>
  (
    await sql<{
      n: number
    }>`select count(*)::int as n from ${sql.table(table)} where ${sql.raw(where)}`.execute(
      db.kysely,
    )
  ).rows[0]!.n
const moves = (status: string) => count('jobs', `kind = 'networkMove' and status = '${status}'`)

t.test('the same decision again changes nothing while it holds', async t => {
  await seen()
  for (let times = 0; times < 3; times++) await choose(false)
  t.same([await count('network_decisions'), await moves('queued')], [1, 1])
  await jobs.runNow()
  await choose(false)
  t.equal(
    await choose(false, 'staff'),
    30,
    'staff who repeat it read how many visitors it concerns',
  )
  t.same([await count('network_decisions'), await moves('queued')], [1, 0])
  await sql`update jobs set status = 'errored' where kind = 'networkMove'`.execute(db.kysely)
  await choose(false)
  t.equal(await moves('queued'), 1, 'after its job failed it is made again')
})

t.test('decisions to and fro leave one job, and no old decision', async t => {
  for (const isCounted of [true, false, true, false, true]) await choose(isCounted)
  t.equal(await moves('queued'), 1, 'jobs of replaced decisions are deleted')
  await jobs.runNow()
  t.equal(await count('visitors_aside'), 0, 'the last decision holds')

  now.at = new Date(now.at.getTime() + day + second)
  await seen()
  await sql`insert into network_decisions (store_id, decision_id, network, kind, decided_by, decided_at, until, visitors)
    values (${storeId}, gen_random_uuid(), null, 'warned', 'rule', ${new Date(noon)}, ${new Date(noon + hour)}, 10)`.execute(
    db.kysely,
  )
  await choose(false)
  t.equal(await count('network_decisions', `kind <> 'warned' and network is null`), 0)
  t.equal(await count('network_decisions', `kind = 'warned'`), 1, 'reports count the warnings')
  await jobs.runNow()
  const set = await count('visitors_aside')
  t.equal(set, 30)
  now.at = new Date(now.at.getTime() + day + second)
  await sql`update network_decisions set network = null where kind = 'setAside'`.execute(db.kysely)
  await seen()
  await choose(true)
  t.equal(
    await count(
      'visitors_aside',
      'exists (select from network_decisions d where d.decision_id = visitors_aside.decision_id)',
    ),
    set,
    'the decision of visitors who are set aside stays',
  )
})

t.test('after many decisions in a day a merchant waits until the next', async t => {
  await sql`delete from network_decisions`.execute(db.kysely)
  await sql`insert into network_decisions (store_id, decision_id, network, kind, decided_by, decided_at, until, visitors)
    select ${storeId}, gen_random_uuid(), null, 'counted', 'merchant', ${now.at}, ${now.at}, 1 from generate_series(1, ${quotas.networkDecisions - 1})`.execute(
    db.kysely,
  )
  await choose(false)
  await t.rejects(choose(true), { status: 429, message: quotaWords.networkDecisions })
  await choose(false)
  t.equal(await choose(true, 'staff'), 30, 'staff still can')
  now.at = new Date(now.at.getTime() + day + second)
  await seen()
  await choose(false)
  t.ok((await count('network_decisions')) < 4)
})
