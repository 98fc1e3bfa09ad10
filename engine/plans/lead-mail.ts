import type { Trx } from '../db/types.ts'
import { formatMoment } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import type { LeadVia } from '../../domain/plans/lead.ts'
import { isMailed, type LeadMailing } from '../../domain/staff/staff-leads.ts'
import { day } from '../../domain/time-units.ts'
import type { EngineContext } from '../context.ts'
import type { Mail, Mailer } from '../staff/people/mail.ts'

/** Older requests are not mailed when an address is configured later. They stay in the list. */
const mailedLater = 30 * day

export const leadMailing = (
  { LEADS_EMAIL }: EngineContext['config'],
  { isOn }: Pick<Mailer, 'isOn'>,
): LeadMailing => ({ address: LEADS_EMAIL ?? null, isMailOn: isOn })

export const leadMailKey = (leadId: string): string => `leadMail:${leadId}`

/**
 * Queues the mail about a request. Call it in the transaction that stores the request. Without
 * `runAt` it is due now, and a mail that is being sent at this moment is enough.
 */
export async function queueLeadMail(
  { jobs }: Pick<EngineContext, 'jobs'>,
  on: Trx,
  { storeId, leadId, runAt }: { storeId: string; leadId: string; runAt?: Date },
): Promise<void> {
  await jobs.add(on, {
    storeId,
    kind: 'leadMail',
    key: leadMailKey(leadId),
    payload: { leadId },
    ...(runAt && { runAt }),
  })
}

/**
 * The job that mails a request for a custom plan to the operator's address. It is retried until the
 * mail server has taken the mail. After a crash at that moment, the mail may be sent twice.
 */
export function leadMail(
  context: Pick<EngineContext, 'db' | 'clock' | 'config' | 'jobs'>,
  mail: Mailer,
): void {
  const {
    db: { kysely },
    clock,
    config,
    jobs,
  } = context
  const mailing = leadMailing(config, mail)
  jobs.on('leadMail', async ({ storeId, payload, state, checkpoint }) => {
    const { address } = mailing
    if (address === null || !isMailed(mailing)) return
    const own = kysely
      .selectFrom('leads as l')
      .innerJoin('stores as s', 's.store_id', 'l.store_id')
      .leftJoin('plans as p', 'p.plan_id', 's.plan_id')
      .select([
        'l.store_id',
        'l.lead_id',
        'l.first_name',
        'l.last_name',
        'l.email',
        'l.via',
        'l.updated_at',
        's.name',
        's.shop',
        'p.title',
      ])
      .where('l.store_id', '=', storeId)
      .where('l.lead_id', '=', String(payload['leadId']))
      // Staff have seen it in the list already.
      .where('l.state', '=', 'open')
    const lead = await own.executeTakeFirst()
    if (!lead || lead.email === null) return
    // The process stopped while the mail was being sent, and nothing was asked since.
    const askedAt = lead.updated_at.toISOString()
    if (state['mailed'] === askedAt) return
    await mail.deliver(
      mailAbout(
        {
          page: config.APP_ORIGIN + paths.lead(lead.store_id, lead.lead_id),
          name: `${lead.first_name} ${lead.last_name}`,
          email: lead.email,
          via: lead.via,
          at: lead.updated_at,
          store: lead.name,
          shop: lead.shop,
          plan: lead.title,
        },
        address,
      ),
    )
    await kysely.transaction().execute(async trx => {
      await trx
        .updateTable('leads')
        .set({ mailed_at: clock() })
        .where('store_id', '=', storeId)
        .where('lead_id', '=', String(payload['leadId']))
        .execute()
      await checkpoint({ mailed: askedAt }, trx)
    })
  })
}

/**
 * Queues the mails of open requests that were never mailed: no address was configured when they
 * arrived. Call it at start.
 */
export async function mailWaitingLeads(context: EngineContext, mail: Mailer): Promise<void> {
  const { db, clock, config, log } = context,
    mailing = leadMailing(config, mail)
  if (!isMailed(mailing)) {
    if (config.NODE_ENV === 'production')
      log.warn(
        'requests for a custom plan are not mailed: set LEADS_EMAIL, SMTP_URL and MAIL_FROM. Staff find them in the panel',
      )
    return
  }
  const now = clock()
  await db.kysely.transaction().execute(async trx => {
    const waiting = await trx
      .selectFrom('leads')
      .select(['store_id', 'lead_id'])
      .where('state', '=', 'open')
      .where('email', 'is not', null)
      .where('mailed_at', 'is', null)
      .where('updated_at', '>=', new Date(now.getTime() - mailedLater))
      .orderBy('lead_id')
      // Another process may be storing that it has mailed one.
      .forUpdate()
      .execute()
    for (const { store_id, lead_id } of waiting)
      await queueLeadMail(context, trx, { storeId: store_id, leadId: lead_id })
  })
}

type About = {
  /** The address of its page in the panel. */
  page: string
  name: string
  email: string
  via: LeadVia
  at: Date
  store: string
  shop: string
  plan: string | null
}

const nextSteps: Record<LeadVia, string> = {
  form: 'They sent the form, and were told that you write to them. Answer this mail to reach them.',
  booking:
    'They were shown your scheduler. If they have not booked a time there, answer this mail to reach them.',
}

function mailAbout({ page, name, email, via, at, store, shop, plan }: About, to: string): Mail {
  const person = onOneLine(name),
    lines = [
      `${person || 'Somebody'} of ${onOneLine(store)} asks for a custom plan.`,
      '',
      ...(person ? [`Name: ${person}`] : []),
      `E-mail: ${email}`,
      `Store: ${onOneLine(store)} (${shop})`,
      `Present plan: ${plan ?? 'none'}`,
      `Asked: ${formatMoment(at, 'UTC', at)} UTC`,
      '',
      nextSteps[via],
      '',
      `Then mark the request as answered: ${page}`,
      '',
    ]
  return {
    to,
    replyTo: email,
    subject: `${onOneLine(store)} asks for a custom plan`,
    text: lines.join('\n'),
  }
}

/** A merchant's text cannot add lines to the mail. */
const onOneLine = (text: string): string => text.replace(/[\s\p{C}]+/gu, ' ').trim()
