import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { isMigrated } from '../db/migrate.ts'

/**
 * Serves /healthz and /readyz. Healthy: the process and its database answer, and shoppers' events
 * are stored. Ready: also, the database has this version's migrations, the hub receives
 * announcements of other processes, and the engine is not stopping.
 */
export function health(
  app: FastifyInstance,
  {
    db,
    isHubReady,
    isStopping,
    storingTrouble,
  }: {
    db: Db
    isHubReady: () => boolean
    isStopping: () => boolean
    /** Why events are not stored now, or null. */ storingTrouble: () => string | null
  },
): void {
  app.get('/healthz', async (request, reply) => {
    try {
      await sql`select 1`.execute(db.kysely)
      const message = storingTrouble()
      return message === null ? { ok: true } : reply.code(503).send({ ok: false, message })
    } catch (error) {
      request.log.error({ err: error }, 'the database does not answer')
      return reply.code(503).send({ ok: false, message: 'The database does not answer.' })
    }
  })
  app.get('/readyz', async (_, reply) => {
    const checks = {
      database: false,
      migrations: false,
      hub: isHubReady(),
      running: !isStopping(),
      storing: storingTrouble() === null,
    }
    try {
      checks.migrations = await isMigrated(db)
      checks.database = true
    } catch {
      /* the database stays false */
    }
    return reply.code(Object.values(checks).every(Boolean) ? 200 : 503).send(checks)
  })
}
