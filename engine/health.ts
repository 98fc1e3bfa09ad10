import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Db } from './db/connection.ts'
import { isMigrated } from './db/migrate.ts'

/** Alive: the process and its database answer. Ready: they are also as this version needs them, the hub hears what other processes announce, and nothing is about to stop. */
export function health(app: FastifyInstance, { db, isHubReady, isStopping }: { db: Db; isHubReady: () => boolean; isStopping: () => boolean }): void {
  app.get('/healthz', async (request, reply) => {
    try {
      await sql`select 1`.execute(db.kysely)
      return { ok: true }
    } catch (error) {
      request.log.error({ err: error }, 'the database does not answer')
      return reply.code(503).send({ ok: false, message: 'The database does not answer.' })
    }
  })
  app.get('/readyz', async (_, reply) => {
    const checks = { database: false, migrations: false, hub: isHubReady(), running: !isStopping() }
    try {
      checks.migrations = await isMigrated(db)
      checks.database = true
    } catch { /* the database stays false */ }
    return reply.code(Object.values(checks).every(Boolean) ? 200 : 503).send(checks)
  })
}
