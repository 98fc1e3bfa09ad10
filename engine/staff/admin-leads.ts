import { type Kysely, type RawBuilder, sql, type SqlBool } from 'kysely'
import { HttpProblem } from '../../domain/problem.ts'
import {
  type Lead,
  leadChangeWords,
  type LeadMailing,
  leadMailState,
  leadStates,
} from '../../domain/staff/staff-leads.ts'
import type { StoreName } from '../../domain/staff/staff-list.ts'
import type { EngineContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { knownId, notFound, type StaffServe } from '../http/routes.ts'
import { holds, pageOf } from './admin-lists.ts'
import { storeColumns, storeNameOf } from './admin-stores.ts'
import { audit } from './people/staff-audit.ts'

type Row = StoreName &
  Pick<Lead, 'email' | 'via' | 'state' | 'note'> & {
    leadId: string
    person: string
    createdAt: Date
    askedAt: Date
    changedAt: Date | null
    changedBy: string | null
    mailedAt: Date | null
    attempts: number | null
  }

/** Only what a merchant has sent: a lead without an address was begun and left. */
const isSent = sql<SqlBool>`l.email is not null`
const columns = sql`${storeColumns}, l.lead_id as "leadId", trim(l.first_name || ' ' || l.last_name) as person, l.email, l.via, l.state, l.note,
  l.created_at as "createdAt", l.updated_at as "askedAt", l.changed_at as "changedAt", u.name as "changedBy", l.mailed_at as "mailedAt",
  (select j.attempts from jobs j where j.store_id = l.store_id and j.key = 'leadMail:' || l.lead_id and j.status not in ('completed', 'errored')) as attempts`
const from = sql`leads l join stores s on s.store_id = l.store_id left join staff_users u on u.user_id = l.changed_by`
const sorts = {
  askedAt: sql`l.updated_at`,
  store: sql`lower(s.name)`,
  name: sql`lower(l.first_name || ' ' || l.last_name)`,
}

/** Serves merchants' requests for a custom plan. */
export function adminLeads(
  serve: StaffServe,
  { db: { kysely }, clock }: EngineContext,
  mailing: LeadMailing,
): void {
  serve('staffMenu', async () => ({ openLeads: (await leadCounts(kysely)).open }))

  serve('adminLeads', async ({ query }) => {
    const { state, sort = 'askedAt', descending = sort === 'askedAt' } = query
    const where = [
      isSent,
      ...holds(query.search, 'l.first_name', 'l.last_name', 'l.email', 's.name', 's.shop'),
      ...(state ? [sql<SqlBool>`l.state = ${state}`] : []),
    ]
    const [{ rows, count }, counts, failing] = await Promise.all([
      pageOf<Row>(
        kysely,
        { ...query, descending },
        { columns, from, where, by: sorts[sort], tie: sql`l.updated_at desc, l.lead_id` },
      ),
      leadCounts(kysely),
      unmailedLeads(kysely),
    ])
    return { leads: rows.map(row => leadOf(row, mailing)), count, counts, mailing, failing }
  })

  serve('adminLead', async ({ params }) => {
    const [row] = await found(kysely, ownOf(params))
    if (!row) throw notFound('request')
    return leadOf(row, mailing)
  })

  serve('changeLead', async ({ params, body: { state, note, changedAt } }, staff) => {
    const own = ownOf(params)
    return kysely.transaction().execute(async trx => {
      const [before] = await found(trx, own, sql`for update of l`)
      if (!before) throw notFound('request')
      const after = { state, note: note.trim() },
        words = leadChangeWords(before, after)
      if (words === null) return leadOf(before, mailing)
      if ((before.changedAt?.toISOString() ?? null) !== changedAt) throw changedMeanwhile()
      const at = clock()
      await trx
        .updateTable('leads')
        .set({ ...after, changed_at: at, changed_by: staff.id })
        .where('store_id', '=', params.id)
        .where('lead_id', '=', params.leadId)
        .execute()
      await audit(trx, {
        at,
        by: staff.id,
        act: 'Changed a plan request',
        about: params.id,
        detail: words,
      })
      return leadOf((await found(trx, own))[0]!, mailing)
    })
  })
}

/** The condition for one request. Throws a 404 for ids that cannot be ids. */
const ownOf = ({ id, leadId }: { id: string; leadId: string }) =>
  sql<SqlBool>`l.store_id = ${knownId(id, 'request')} and l.lead_id = ${knownId(leadId, 'request')}`

/** The newest requests of a store. */
export async function leadsOf(
  kysely: Kysely<Schema>,
  storeId: string,
  mailing: LeadMailing,
  most: number,
): Promise<Lead[]> {
  const rows = await found(
    kysely,
    sql<SqlBool>`l.store_id = ${storeId}`,
    sql`order by l.updated_at desc, l.lead_id limit ${most}`,
  )
  return rows.map(row => leadOf(row, mailing))
}

/** How many requests there are, by state. */
export async function leadCounts(kysely: Kysely<Schema>): Promise<Record<Lead['state'], number>> {
  const { rows } = await sql<{
    state: Lead['state']
    n: number
  }>`select l.state, count(*)::int as n from leads l where ${isSent} group by 1`.execute(kysely)
  return Object.fromEntries(
    leadStates.map(name => [name, rows.find(({ state }) => state === name)?.n ?? 0]),
  ) as Record<Lead['state'], number>
}

/** How many open requests the mail server has refused so far. */
export async function unmailedLeads(kysely: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{
    n: number
  }>`select count(*)::int as n from leads l join jobs j on j.store_id = l.store_id and j.key = 'leadMail:' || l.lead_id
    where l.state = 'open' and j.status not in ('completed', 'errored') and j.attempts > 0`.execute(
    kysely,
  )
  return rows[0]!.n
}

async function found(
  on: Kysely<Schema>,
  where: RawBuilder<SqlBool>,
  then: RawBuilder<unknown> = sql``,
): Promise<Row[]> {
  const { rows } =
    await sql<Row>`select ${columns} from ${from} where ${isSent} and ${where} ${then}`.execute(on)
  return rows
}

const changedMeanwhile = () => {
  const message = 'Somebody else has changed this request meanwhile. Check it, and save again.'
  return new HttpProblem(409, message, [{ field: 'note', message }])
}

const leadOf = (row: Row, mailing: LeadMailing): Lead => ({
  id: row.leadId,
  store: storeNameOf(row),
  at: row.createdAt.toISOString(),
  askedAt: row.askedAt.toISOString(),
  name: row.person,
  email: row.email,
  via: row.via,
  state: row.state,
  note: row.note,
  changed: row.changedAt && { at: row.changedAt.toISOString(), by: row.changedBy },
  mail: leadMailState(row, mailing),
})
