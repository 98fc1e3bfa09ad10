import * as Type from 'typebox'
import { type Call, closed, Done, Id } from '../api/call.ts'
import { DiscountCheck } from '../plans/discount.ts'
import { LeadInput, LeadQuery } from '../plans/lead.ts'
import { Plan } from '../plans/plan.ts'

export const discountCodeLimit = 64
const Code = Type.String({ minLength: 1, maxLength: discountCodeLimit })

export const planCalls = {
  plans: {
    method: 'GET',
    path: '/api/v0/plans',
    about: 'Every plan; only those with the available flag are offered.',
    response: Type.Array(Plan),
  },
  subscribe: {
    method: 'POST',
    path: '/api/v0/plans/:id/subscribe',
    about:
      'Makes a subscription that the merchant approves at the confirmation URL. An upgrade takes effect at once, a downgrade at the next billing cycle.',
    params: Id,
    query: Type.Object(
      {
        discountCode: Type.Optional(Code),
        /**
         * Path of the app's page to which the merchant returns from the confirmation URL. Any other
         * address is ignored.
         */
        from: Type.Optional(Type.String({ maxLength: 2048 })),
      },
      closed,
    ),
    response: Type.Object({ confirmationUrl: Type.String() }),
    errors: {
      409: 'The plan is not offered, is agreed in person, or is the store’s own already.',
      502: 'The platform could not be reached.',
    },
  },
  requestCustomPlan: {
    method: 'POST',
    path: '/api/v0/plans/custom-request/',
    about: 'Starts a lead for a plan that is agreed in person.',
    response: Type.Object({ leadId: Type.String() }),
    errors: { 409: 'The store has as many unanswered requests as it may.' },
  },
  updateCustomPlan: {
    method: 'PUT',
    path: '/api/v0/plans/custom-request/:id',
    about:
      'Adds name and e-mail address to the request for a custom plan. With `booking`, the merchant is shown the meeting scheduler next.',
    params: Id,
    query: LeadQuery,
    body: LeadInput,
    errors: { 409: 'The store has as many unanswered requests as it may.' },
    response: Done,
  },
  checkDiscount: {
    method: 'GET',
    path: '/api/v0/plans/discount-codes/check/:code',
    about: 'Whether a discount code may be used by this store, and what it takes off.',
    params: Type.Object({ code: Code }, closed),
    response: DiscountCheck,
  },
} as const satisfies Record<string, Call>
