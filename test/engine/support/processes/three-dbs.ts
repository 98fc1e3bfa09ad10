import type { Test } from 'tap'
import { type Db, postgresDb } from '../../../../engine/db/connection.ts'
import { migrate } from '../../../../engine/db/migrate.ts'
import { startPostgres } from '../../../../scripts/postgres.ts'

/** A new database on a Postgres of its own, as three processes would open it. */
export async function threeDbs(t: Test): Promise<[Db, Db, Db]> {
  const postgres = await startPostgres({ lasting: false })
  if (!postgres) throw new Error('There is no Postgres on this machine.')
  const dbs: [Db, Db, Db] = [
    postgresDb(postgres.url),
    postgresDb(postgres.url),
    postgresDb(postgres.url),
  ]
  t.teardown(async () => {
    for (const db of dbs) await db.close()
    await postgres.stop()
  })
  await migrate(dbs[0])
  return dbs
}
