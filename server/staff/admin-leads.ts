import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { paths } from '../../domain/paths.ts'
import { type FieldProblem, HttpProblem } from '../../domain/problem.ts'
import { routeNamed } from '../../domain/routes.ts'
import { type Lead, leadSorts, leadStates, longestNote } from '../../domain/staff/staff-leads.ts'
import { LeadPage } from '../../views/staff/leads/admin-lead.tsx'
import { Leads } from '../../views/staff/leads/admin-leads.tsx'
import {
  beyondTheEnd,
  fieldText,
  listAsked,
  listState,
  type Posted,
  refusedFields,
} from './admin-list.ts'
import { seeOther } from '../page/page.ts'
import { staffPage } from './staff-page.ts'
import { staffApiOf } from './staff-visit.ts'
import { toast } from '../page/toasts.ts'

type OfLead = Posted & { Params: { storeId: string; leadId: string } }
const leadPath = routeNamed('admin-lead').path

/** Staff's pages of merchants' requests for a custom plan. */
export function adminLeads(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  app.get(paths.admin('leads'), async (request, reply) => {
    const listed = listState(request, {
      sorts: leadSorts,
      usual: { sort: 'askedAt', descending: true },
      filters: { state: leadStates },
    })
    const state = leadStates.find(name => name === listed.filters['state'])
    const found = await staffApiOf(request).adminLeads({
      query: { ...listAsked(listed), ...(state && { state }) },
    })
    return (
      beyondTheEnd(request, reply, listed, found.count) ??
      staffPage(request, reply, {}, h(Leads, { ...found, state: listed, now: clock() }))
    )
  })

  app.get<OfLead>(leadPath, async (request, reply) => {
    const lead = await staffApiOf(request).adminLead({ params: idOf(request) })
    return show(request, reply, lead, lead, [])
  })

  app.post<OfLead>(leadPath, async (request, reply) => {
    const params = idOf(request),
      api = staffApiOf(request)
    const typed = {
      state: fieldText(request.body, 'state'),
      note: fieldText(request.body, 'note').replaceAll('\r\n', '\n'),
    }
    const again = async (status: number, problems: FieldProblem[]) =>
      show(request, reply.code(status), await api.adminLead({ params }), typed, problems)
    const state = leadStates.find(name => name === typed.state)
    if (!state) return again(422, [{ field: 'state', message: 'Choose a state.' }])
    if (typed.note.length > longestNote)
      return again(422, [
        {
          field: 'note',
          message: `Keep it to ${longestNote} characters; these are ${typed.note.length}.`,
        },
      ])
    try {
      const changedAt = fieldText(request.body, 'changedAt').slice(0, 40) || null
      await api.changeLead({ params, body: { state, note: typed.note, changedAt } })
      toast(request, reply, 'The request was saved.')
      return await seeOther(request, reply, paths.lead(params.id, params.leadId))
    } catch (error) {
      const problems = refusedFields(error)
      return again((error as HttpProblem).status === 409 ? 409 : 422, problems)
    }
  })

  const show = (
    request: FastifyRequest,
    reply: FastifyReply,
    lead: Lead,
    typed: { state: string; note: string },
    problems: FieldProblem[],
  ): FastifyReply =>
    staffPage(
      request,
      reply,
      { route: 'admin-lead', title: lead.name || lead.email },
      h(LeadPage, { lead, typed, problems, now: clock() }),
    )
}

/** The ids in the path. Throws HttpProblem 404 when one is too long to be one. */
function idOf({ params: { storeId, leadId } }: FastifyRequest<OfLead>) {
  if (storeId.length > 64 || leadId.length > 64)
    throw new HttpProblem(404, 'There is no such request.')
  return { id: storeId, leadId }
}
