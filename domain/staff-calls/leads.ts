import * as Type from 'typebox'
import { type Call, closed, IdParam } from '../api/call.ts'
import { narrowedQuery } from '../staff/staff-list.ts'
import { Lead, LeadChange, LeadMailing, leadSorts, leadStates } from '../staff/staff-leads.ts'

const Count = Type.Integer()
const LeadId = Type.Object({ id: IdParam, leadId: IdParam }, closed)
const noLead = 'There is no such request.'

/** Calls of staff's panel for merchants' requests for a custom plan. */
export const staffLeadCalls = {
  staffMenu: {
    method: 'GET',
    path: '/api/v0/admin/menu',
    about: 'The counts in the menu of staff’s panel: requests for a custom plan that are open.',
    response: Type.Object({ openLeads: Count }),
  },
  adminLeads: {
    method: 'GET',
    path: '/api/v0/admin/leads',
    about: 'Merchants’ requests for a custom plan, and where they are mailed.',
    query: narrowedQuery(leadSorts, { state: Type.Optional(Type.Enum([...leadStates])) }),
    response: Type.Object({
      leads: Type.Array(Lead),
      count: Count,
      /** Counts by state, without search and filter. */
      counts: Type.Record(Type.Enum([...leadStates]), Count),
      mailing: LeadMailing,
      /** How many the mail server has refused so far. */
      failing: Count,
    }),
  },
  adminLead: {
    method: 'GET',
    path: '/api/v0/admin/stores/:id/leads/:leadId',
    about: 'One request for a custom plan.',
    params: LeadId,
    response: Lead,
    errors: { 404: noLead },
  },
  changeLead: {
    method: 'PUT',
    path: '/api/v0/admin/stores/:id/leads/:leadId',
    about: 'Marks a request as open, answered or closed, and keeps a note with it.',
    params: LeadId,
    body: LeadChange,
    response: Lead,
    errors: {
      404: noLead,
      409: 'Somebody else has changed the request meanwhile.',
    },
  },
} as const satisfies Record<string, Call>
