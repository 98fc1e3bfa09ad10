import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import t from 'tap'
import { postgresDb } from '../../../engine/db/connection.ts'
import { StoreBusy } from '../../../engine/db/busy.ts'
import { DatabaseLost } from '../../../engine/db/lost.ts'
import { startJobs } from '../../../engine/jobs/run.ts'
import { linkTo } from '../support/database-link.ts'
import { freshDb } from '../support/harness.ts'
import { quietLog } from '../support/quiet-log.ts'
import { seedStore } from '../support/seeds.ts'

const db = await freshDb()
t.teardown(() => db.close())
const storeId = await seedStore(db)
const clock = () => new Date('2026-11-10T12:00:00Z')

t.test('outages of the database do not count as crashes of a job', async t => {
  const jobs = startJobs({ db, clock, log: quietLog })
  t.teardown(() => jobs.stop())
  let runs = 0
  jobs.on('rebuild', async () => {
    if (++runs <= 30) throw new DatabaseLost(new Error('the server stops'))
  })
  const id = await jobs.add(db.kysely, { storeId, kind: 'rebuild' })
  await jobs.runNow()
  const job = await db.kysely
    .selectFrom('jobs')
    .select(['status', 'attempts', 'starts'])
    .where('job_id', '=', id)
    .executeTakeFirst()
  t.same(job, { status: 'completed', attempts: 0, starts: 1 })
  t.equal(runs, 31)
})

t.test('a job of a locked store is put off, which is no attempt and no crash', async t => {
  const at = { now: clock() },
    ends: string[] = []
  const jobs = startJobs({
    db,
    clock: () => at.now,
    log: quietLog,
    onEnd: (_, outcome) => void ends.push(outcome),
  })
  t.teardown(() => jobs.stop())
  let isLocked = true
  jobs.on('networkMove', async () => {
    if (isLocked) throw new StoreBusy()
  })
  const id = await jobs.add(db.kysely, { storeId, kind: 'networkMove' })
  const stored = () =>
    db.kysely
      .selectFrom('jobs')
      .select(['status', 'attempts', 'starts', 'run_at'])
      .where('job_id', '=', id)
      .executeTakeFirstOrThrow()
  for (let run = 0; run < 25; run++) {
    await jobs.runNow()
    const { run_at, ...job } = await stored()
    if (run === 0) t.ok(run_at > at.now, 'it runs later')
    t.same(job, { status: 'queued', attempts: 0, starts: 0 })
    at.now = run_at
  }
  isLocked = false
  await jobs.runNow()
  t.match(await stored(), { status: 'completed', attempts: 0, starts: 1 })
  t.same(ends, [...Array<string>(25).fill('retried'), 'completed'])
})

t.test(
  'a job that an outage interrupted is put off once the database answers',
  { skip: !process.env['TEST_DATABASE_URL'] && 'needs TEST_DATABASE_URL' },
  async t => {
    const link = await linkTo(db.pool!.options.connectionString!),
      far = postgresDb(link.url),
      lines: string[] = []
    const jobs = startJobs({
      db: far,
      clock,
      log: pino({ level: 'warn' }, { write: line => lines.push(line) }),
    })
    t.teardown(async () => {
      await jobs.stop()
      await far.close()
      await link.close()
    })
    let runs = 0
    jobs.on('rebuild', async () => {
      if (++runs > 1) return
      await link.cut()
      await sql`select 1`.execute(far.kysely)
    })
    const id = await jobs.add(far.kysely, { storeId, kind: 'rebuild' }),
      running = jobs.runNow()
    while (!lines.some(line => /continues when the database answers/.test(line)))
      await setTimeout(5)
    await t.rejects(sql`select 1`.execute(far.kysely), { message: /does not answer/ })
    await link.restore()
    await running
    const job = await db.kysely
      .selectFrom('jobs')
      .select(['status', 'starts'])
      .where('job_id', '=', id)
      .executeTakeFirst()
    t.same(job, { status: 'completed', starts: 1 })
  },
)
