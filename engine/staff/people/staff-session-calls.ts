import type { EngineContext } from '../../context.ts'
import { isId, knownId, notFound, type StaffServe } from '../../http/routes.ts'
import { audit } from './staff-audit.ts'
import type { StaffSessions } from './staff-sessions.ts'

const member = 'member of staff'

/** Serves the sessions of a member, and ends one of them. Ending one is in the audit log. */
export function staffSessionCalls(
  serve: StaffServe,
  { db, clock }: EngineContext,
  sessions: StaffSessions,
): void {
  serve('staffSessions', async ({ params }, staff) => {
    const id = knownId(params.id, member)
    if (
      !(await db.kysely
        .selectFrom('staff_users')
        .select('user_id')
        .where('user_id', '=', id)
        .executeTakeFirst())
    )
      throw notFound(member)
    const rows = await sessions.of(id)
    return rows.map(row => ({
      id: row.session_id,
      startedAt: row.started_at.toISOString(),
      seenAt: row.seen_at.toISOString(),
      browser: row.browser,
      network: row.network,
      isOwn: row.token_hash === staff.session,
    }))
  })

  serve('endStaffSession', ({ params }, staff) =>
    db.kysely.transaction().execute(async trx => {
      if (!isId(params.id) || !isId(params.session)) throw notFound('session')
      const ended = await trx
        .deleteFrom('staff_sessions')
        .where('session_id', '=', params.session)
        .where('user_id', '=', params.id)
        .where('needs', 'is', null)
        .returning('browser')
        .executeTakeFirst()
      if (!ended) throw notFound('session')
      await audit(trx, {
        at: clock(),
        by: staff.id,
        act: 'Ended a session',
        about: params.id,
        ...(ended.browser && { detail: ended.browser }),
      })
      return { ok: true as const }
    }),
  )
}
