import { DefaultQueryExecutor, sql } from 'kysely'
import { buildEngine } from '../../../../engine/app.ts'
import { engineConfig } from '../../../../engine/config.ts'
import { openDb } from '../../../../engine/db/connection.ts'
import { add } from '../../../../engine/jobs/queue.ts'
import { crashes } from './job-crashes.ts'

/**
 * A whole engine in a process of its own that kills itself, as kill −9 does, when it is about to make the statement
 * that holds `killAt`. Tells its parent how the job of `check` ended, then makes that of `seed`.
 */
const { seed, check, killAt } = JSON.parse(process.argv[2]!) as {
  seed?: string
  check?: string
  killAt?: string
}
let isArmed = !seed

const plain = DefaultQueryExecutor.prototype.executeQuery
DefaultQueryExecutor.prototype.executeQuery = function (
  this: DefaultQueryExecutor,
  query,
  ...rest
) {
  if (killAt && isArmed && query.sql.includes(killAt)) process.kill(process.pid, 'SIGKILL')
  return plain.call(this, query, ...rest)
} as typeof plain

const config = engineConfig(process.env)
if (config.DATABASE_URL) {
  // As if fifteen seconds had passed: on a Postgres the dead process's lease has to run out.
  const db = await openDb({ dataDir: config.DATA_DIR, databaseUrl: config.DATABASE_URL })
  await sql`update jobs set leased_until = '-infinity'`.execute(db.kysely)
  await db.close()
}
const engine = await buildEngine({ config })
await engine.runJobs()
if (check) {
  const job = await engine.db.kysely
    .selectFrom('jobs')
    .select(['store_id', 'status', 'starts'])
    .where('kind', '=', crashes[check]!.kind)
    .executeTakeFirstOrThrow()
  process.send!({
    status: job.status,
    starts: job.starts,
    outcome: await crashes[check]!.outcome(engine, job.store_id),
  })
}
if (seed) {
  const { storeId, payload } = await crashes[seed]!.seed(engine, config.DEMO_SHOP_ORIGIN)
  isArmed = true
  await add(engine.db.kysely, { storeId, kind: crashes[seed]!.kind, payload }, new Date())
  await engine.runJobs()
}
await engine.close()
process.exit()
