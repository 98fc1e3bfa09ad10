import { DefaultQueryExecutor, sql } from 'kysely'
import { buildEngine } from '../../../../engine/app.ts'
import { engineConfig } from '../../../../engine/config.ts'
import { openDb } from '../../../../engine/db/connection.ts'
import { add } from '../../../../engine/jobs/queue.ts'
import { richest } from '../../../../domain/platform/capabilities.ts'
import { crashes } from './job-crashes.ts'

/**
 * An engine in its own process that kills itself, like kill −9, just before a statement that
 * contains `killAt`. It sends its parent the result of the job `check`, and then adds and runs the
 * job `seed`.
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
  // As if fifteen seconds had passed, because on Postgres the lease of the killed process must
  // expire first.
  const db = await openDb({ dataDir: config.DATA_DIR, databaseUrl: config.DATABASE_URL })
  await sql`update jobs set leased_until = '-infinity'`.execute(db.kysely)
  await db.close()
}
// The shop has one name, and each store of these tests another.
const engine = await buildEngine({
  config,
  wrapPlatform: platform => ({
    ...platform,
    capabilities: async () => richest,
    scriptState: async () => ({ state: 'notNeeded', switchAt: null }),
    nativeExperiments: async () => [],
  }),
})
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
