import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { leadProblems } from '../../domain/plans/lead.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { quotas, quotaWords } from '../../domain/quota.ts'
import type { EngineContext } from '../context.ts'
import { knownId, notFound, type Serve } from '../http/routes.ts'

/** Requests of merchants for a plan that is agreed in person. */
export function leads(serve: Serve, { db: { kysely }, clock }: EngineContext): void {
  // An empty lead is used again, so that a merchant who goes back and forth does not create many
  // empty leads.
  serve('requestCustomPlan', async (_, { storeId }) =>
    kysely.transaction().execute(async trx => {
      await trx
        .selectFrom('stores')
        .select('store_id')
        .where('store_id', '=', storeId)
        .forUpdate()
        .executeTakeFirstOrThrow()
      const empty = await trx
        .selectFrom('leads')
        .select('lead_id')
        .where('store_id', '=', storeId)
        .where('email', 'is', null)
        .executeTakeFirst()
      if (empty) return { leadId: empty.lead_id }
      const { sent } = await trx
        .selectFrom('leads')
        .select(sql<number>`count(*)::int`.as('sent'))
        .where('store_id', '=', storeId)
        .executeTakeFirstOrThrow()
      if (sent >= quotas.leads) throw new HttpProblem(409, quotaWords.leads)
      const leadId = randomUUID()
      await trx
        .insertInto('leads')
        .values({ store_id: storeId, lead_id: leadId, created_at: clock(), updated_at: clock() })
        .execute()
      return { leadId }
    }),
  )

  serve('updateCustomPlan', async ({ params: { id }, body }, { storeId }) => {
    const leadId = knownId(id, 'request')
    const lead = kysely
      .selectFrom('leads')
      .select('lead_id')
      .where('store_id', '=', storeId)
      .where('lead_id', '=', leadId)
    if (!(await lead.executeTakeFirst())) throw notFound('request')
    const problems = leadProblems(body)
    if (problems.length > 0) throw new HttpProblem(400, problems[0]!.message, problems)
    await kysely
      .updateTable('leads')
      .set({
        first_name: body.firstName?.trim() ?? '',
        last_name: body.lastName?.trim() ?? '',
        email: body.email!.trim(),
        updated_at: clock(),
      })
      .where('store_id', '=', storeId)
      .where('lead_id', '=', leadId)
      .execute()
    return { ok: true } as const
  })
}
