import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import {
  bookingUrl,
  leadProblems,
  type LeadInput,
  storedName,
  visitorRanges,
} from '../../domain/plans/lead.ts'
import { askedPage, destination } from '../../domain/destination.ts'
import { paths } from '../../domain/paths.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { isOverlay } from '../../domain/routes.ts'
import type { Scheduler } from '../../views/document.ts'
import type { LeadForm, LeadProps } from '../../views/plans/plan-lead.tsx'
import { Approve } from '../../views/plans/plan-pages.tsx'
import { page, seeOther } from '../page/page.ts'
import { storeAddressesOf } from '../page/shop-addresses.ts'
import type { Beside } from './plan-chooser.ts'
import { carriedFrom, queryOf, withQuery } from '../http/query.ts'
import { nonsense } from '../upstream/upstream-problem.ts'
import { apiOf, shellOf, storeOf } from '../session/visit.ts'

type Posted = { Body: Record<string, string | string[] | undefined> }
type OfLead = Posted & { Params: { id: string } }
/** A page that offers plans: its address, and how it is drawn. */
export type PlanPage = {
  path: string
  /** Its route's name. */
  route: string
  draw: (request: FastifyRequest, reply: FastifyReply, beside: Beside) => Promise<FastifyReply>
}
export type PlanActsOptions = {
  /** Where merchants book a meeting. Null: we write to them. */
  scheduler: Scheduler | null
  /** Where merchants can write to us. Null: not configured. */
  supportEmail: string | null
}

const leadId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * A page that offers plans, with its acts: subscribing to a plan, and requesting a custom plan that
 * is agreed in person.
 */
export function planPage(
  app: FastifyInstance,
  { path, route, draw }: PlanPage,
  { scheduler, supportEmail }: PlanActsOptions,
): void {
  app.get(path, async (request, reply) => {
    const query = queryOf(request),
      id = query.get('ask') === 'talk' ? query.get('lead') : null
    if (!id || !leadId.test(id)) return draw(request, reply, {})
    const asked = { ...lead(request, id), form: await autofill(request) }
    // A meeting needs a name and an email address. Show the form first when they are unknown, or
    // when the merchant asks for the form.
    return draw(request, reply, {
      lead:
        asked.form.email === '' || query.has('form')
          ? asked
          : { ...asked, booking: bookingOf(request, asked.form) },
    })
  })

  app.post<Posted>(path, async (request, reply) => {
    const plan = shellOf(request).plans.find(({ id }) => id === request.body.plan)
    if (!plan)
      return draw(request, reply.code(422), {
        problem: 'Choose one of the plans that are offered.',
      })
    const discountCode =
      request.body.discountCode === undefined ? undefined : String(request.body.discountCode)
    try {
      const { confirmationUrl } = await apiOf(request).subscribe({
        params: { id: plan.id },
        query: { ...(discountCode !== undefined && { discountCode }), ...returnOf(request, path) },
      })
      return approve(request, reply, confirmationUrl, approval =>
        page(
          request,
          reply,
          { route, title: 'Approve the plan' },
          h(Approve, { plan, url: approval }),
        ),
      )
    } catch (error) {
      if (!(error instanceof HttpProblem) || error.status >= 500 || error.status === 401)
        throw error
      const isCode = error.fields.some(({ field }) => field.endsWith('discountCode'))
      // A code that could not be checked may still be valid, so it is not called invalid.
      const problem =
        isCode && error.status === 429
          ? 'We could not check the discount code, so we did not change your plan. Try again in a moment.'
          : isCode
            ? 'The discount code is not valid any more, so we did not change your plan. The prices below are without the code.'
            : error.message
      return draw(request, reply.code(isCode ? 422 : error.status), { problem })
    }
  })

  app.post(paths.customRequest(path), async (request, reply) => {
    try {
      const { leadId: id } = await apiOf(request).requestCustomPlan({})
      const isForm = scheduler !== null && !(await keepBooking(request, id))
      return seeOther(
        request,
        reply,
        `${path}?${new URLSearchParams([
          ...stateIn(request),
          ['ask', 'talk'],
          ['lead', id],
          ...(isForm ? [['form', '1']] : []),
        ])}`,
      )
    } catch (error) {
      if (!(error instanceof HttpProblem) || error.status !== 409) throw error
      return draw(request, reply.code(409), { problem: error.message })
    }
  })

  app.post<OfLead>(paths.customRequest(path, ':id'), async (request, reply) => {
    if (!leadId.test(request.params.id)) throw new HttpProblem(404, 'There is no such request.')
    const form = typed(request.body)
    const { range: _, ...said } = form
    const asked = { ...lead(request, request.params.id), form }
    // The message under the field is the same for both problems (requirements 15.3).
    const isWrong = leadProblems(said).length > 0
    if (isWrong)
      return draw(request, reply.code(422), {
        lead: { ...asked, problems: [{ field: 'email', message: 'Email is required' }] },
      })
    try {
      await apiOf(request).updateCustomPlan({
        params: { id: request.params.id },
        query: scheduler ? { booking: true } : {},
        body: said,
      })
    } catch (error) {
      if (!(error instanceof HttpProblem) || error.fields.length === 0) throw error
      return draw(request, reply.code(422), { lead: { ...asked, problems: error.fields } })
    }
    return draw(request, reply, {
      lead: { ...asked, isSent: true, booking: bookingOf(request, said) },
    })
  })

  const lead = (request: FastifyRequest, id: string): LeadProps => ({
    page: path,
    state: `?${new URLSearchParams(stateIn(request))}`.replace(/^\?$/, ''),
    leadId: id,
    form: empty,
    problems: [],
    hasScheduler: scheduler !== null,
    help: supportEmail === null ? null : { email: supportEmail, shop: storeOf(request).shop },
  })
  const bookingOf = (request: FastifyRequest, said: LeadInput): Scheduler | undefined =>
    scheduler ? { ...scheduler, url: bookingUrl(scheduler.url, said, storeOf(request)) } : undefined
}

const empty: LeadForm = { firstName: '', lastName: '', email: '', range: visitorRanges[0] }
const typed = (body: Posted['Body']): LeadForm => ({
  firstName: storedName(String(body.firstName ?? '')),
  lastName: storedName(String(body.lastName ?? '')),
  email: String(body.email ?? ''),
  range: visitorRanges.find(range => range === body.range) ?? empty.range,
})

/**
 * The form, filled in with what the platform knows about the merchant. It stays empty when the
 * platform does not answer.
 */
const autofill = async (request: FastifyRequest): Promise<LeadForm> => {
  const known = await apiOf(request)
    .userAutofill({})
    .catch(() => null)
  return known
    ? {
        ...empty,
        firstName: storedName(known.firstName),
        lastName: storedName(known.lastName),
        email: known.email,
      }
    : empty
}

/**
 * Stores the request with the contact that the platform knows, before the scheduler is shown: what
 * happens there does not reach us. Returns false when the merchant must fill in the form first.
 */
async function keepBooking(request: FastifyRequest, id: string): Promise<boolean> {
  const { range: _, ...known } = await autofill(request)
  if (leadProblems(known).length > 0) return false
  try {
    await apiOf(request).updateCustomPlan({
      params: { id },
      query: { booking: true },
      body: known,
    })
    return true
  } catch (error) {
    if (!(error instanceof HttpProblem) || error.fields.length === 0) throw error
    return false
  }
}

/** The state of the plan chooser, from the query. */
const stateIn = (request: FastifyRequest): [string, string][] =>
  [...queryOf(request)].filter(
    ([name, value]) =>
      name === 'visitors' ||
      name === 'billing' ||
      (name === askedPage && destination(value) !== null),
  )

/**
 * Where the merchant returns to from the shop's admin: the page that was asked for first, with the
 * code of the address. Empty when there is neither; then the engine decides.
 */
function returnOf(request: FastifyRequest, page: string): { from?: string } {
  const query = queryOf(request),
    { code } = carriedFrom(query)
  const asked = destination(query.get(askedPage))
  if (asked === null && code === undefined) return {}
  return { from: withQuery(asked ?? (isOverlay(page) ? paths.home() : page), { code }) }
}

/**
 * Leads to the shop's admin, where the merchant approves the plan. Nobody may frame that page. A
 * form that replaced the frame with it would lose the session, which over https exists only inside
 * the frame. So a page in the frame gets a link that leads out of it (`inFrame`); any other is
 * redirected. Throws when the address is not the admin's.
 */
function approve(
  request: FastifyRequest,
  reply: FastifyReply,
  url: string,
  inFrame: (url: string) => FastifyReply,
): FastifyReply {
  const origin = URL.parse(url)?.origin ?? ''
  if (!storeAddressesOf(request).adminOrigins.includes(origin))
    throw nonsense(new Error('the confirmation address is not the shop admin’s'))
  return request.headers['sec-fetch-dest'] === 'document' ? reply.redirect(url, 303) : inFrame(url)
}
