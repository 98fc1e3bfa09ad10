import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { leadMailDue, leadProblems } from '../../domain/plans/lead.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { quotas, quotaWords } from '../../domain/quota.ts'
import { isMailed } from '../../domain/staff/staff-leads.ts'
import type { EngineContext } from '../context.ts'
import type { Trx } from '../db/types.ts'
import { knownId, notFound, type Serve } from '../http/routes.ts'
import type { Mailer } from '../staff/people/mail.ts'
import { leadMailing, queueLeadMail } from './lead-mail.ts'

/** Requests of merchants for a plan that is agreed in person. */
export function leads(serve: Serve, context: EngineContext, mail: Pick<Mailer, 'isOn'>): void {
  const {
    db: { kysely },
    clock,
    config,
  } = context
  const isMailOn = isMailed(leadMailing(config, mail))

  // An empty lead is used again, so that a merchant who goes back and forth does not create many
  // empty leads.
  serve('requestCustomPlan', async (_, { storeId }) =>
    kysely.transaction().execute(async trx => {
      await lockStore(trx, storeId)
      const empty = await trx
        .selectFrom('leads')
        .select('lead_id')
        .where('store_id', '=', storeId)
        .where('email', 'is', null)
        .executeTakeFirst()
      if (empty) return { leadId: empty.lead_id }
      await requireRoom(trx, storeId)
      const leadId = randomUUID()
      await trx
        .insertInto('leads')
        .values({ store_id: storeId, lead_id: leadId, created_at: clock(), updated_at: clock() })
        .execute()
      return { leadId }
    }),
  )

  serve('updateCustomPlan', async ({ params: { id }, query: { booking }, body }, { storeId }) => {
    const leadId = knownId(id, 'request')
    await kysely.transaction().execute(async trx => {
      await lockStore(trx, storeId)
      const asked = await leadOf(trx, storeId, leadId)
      if (!asked) throw notFound('request')
      const problems = leadProblems(body)
      if (problems.length > 0) throw new HttpProblem(400, problems[0]!.message, problems)
      const contact = {
        first_name: body.firstName?.trim() ?? '',
        last_name: body.lastName?.trim() ?? '',
        email: body.email!.trim(),
      }
      const now = clock(),
        lead = (await openRequestOf(trx, storeId, asked, contact.email)) ?? asked
      if (lead.state !== 'open') await requireRoom(trx, storeId)
      await trx
        .updateTable('leads')
        .set({
          ...contact,
          via: booking ? 'booking' : 'form',
          updated_at: now,
          ...(lead.state !== 'open' && { state: 'open', changed_at: now, changed_by: null }),
        })
        .where('store_id', '=', storeId)
        .where('lead_id', '=', lead.lead_id)
        .execute()
      const isChanged =
        lead.state !== 'open' ||
        lead.email !== contact.email ||
        lead.first_name !== contact.first_name ||
        lead.last_name !== contact.last_name
      const runAt = leadMailDue({ mailedAt: lead.mailed_at, isChanged }, now)
      if (isMailOn && runAt)
        await queueLeadMail(context, trx, {
          storeId,
          leadId: lead.lead_id,
          // Unchanged, the mail that is being sent says it already: it was a double click.
          ...(isChanged && { runAt }),
        })
    })
    return { ok: true } as const
  })
}

/** Throws HttpProblem 409 when the store has as many open requests as it may have. */
async function requireRoom(trx: Trx, storeId: string): Promise<void> {
  const { sent } = await trx
    .selectFrom('leads')
    .select(sql<number>`count(*)::int`.as('sent'))
    .where('store_id', '=', storeId)
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow()
  if (sent >= quotas.leads) throw new HttpProblem(409, quotaWords.leads)
}

const lockStore = (trx: Trx, storeId: string) =>
  trx
    .selectFrom('stores')
    .select('store_id')
    .where('store_id', '=', storeId)
    .forUpdate()
    .executeTakeFirstOrThrow()

const leadColumns = ['lead_id', 'email', 'first_name', 'last_name', 'state', 'mailed_at'] as const
/** One request, locked: staff may be closing it, and the job may be storing that it was mailed. */
const leadOf = (trx: Trx, storeId: string, leadId: string) =>
  trx
    .selectFrom('leads')
    .select(leadColumns)
    .where('store_id', '=', storeId)
    .where('lead_id', '=', leadId)
    .forUpdate()
    .executeTakeFirst()

/**
 * The open request that the same person has sent before. It is renewed instead of filling in the
 * empty one, so that opening the dialog again makes no second request. Locked as in `leadOf`. Null
 * without one.
 */
async function openRequestOf(
  trx: Trx,
  storeId: string,
  asked: { email: string | null },
  email: string,
) {
  if (asked.email !== null) return null
  return trx
    .selectFrom('leads')
    .select(leadColumns)
    .where('store_id', '=', storeId)
    .where('state', '=', 'open')
    .where(sql<string>`lower(email)`, '=', email.toLowerCase())
    .orderBy('updated_at', 'desc')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
}
