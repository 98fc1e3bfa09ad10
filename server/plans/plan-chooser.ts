import type { FastifyRequest } from 'fastify'
import {
  type DiscountCheck,
  discountMessage,
  invalidDiscount,
} from '../../domain/plans/discount.ts'
import { formatDate } from '../../domain/figures.ts'
import {
  type Offering,
  planChoice,
  planOffer,
  planOffers,
  type PlanChoice,
} from '../../domain/plans/plan-offer.ts'
import { isLockedOut } from '../../domain/startup.ts'
import type { AllPlansProps } from '../../views/plans/plan-pages.tsx'
import type { PlanActs } from '../../views/plans/plan-card.tsx'
import type { ChooserProps } from '../../views/plans/plan-chooser.tsx'
import type { LeadProps } from '../../views/plans/plan-lead.tsx'
import { outcomes } from '../upstream/api-outcomes.ts'
import { carriedFrom, queryOf } from '../http/query.ts'
import { apiOf, shellOf } from '../session/visit.ts'

/** What stands on a page of plans beside the plans: what was wrong, and the dialog of a custom plan. */
export type Beside = { problem?: string; lead?: LeadProps }

/** The plans as the store may take them at the choice of the query, with the code it carries. */
export async function chooserOf(
  request: FastifyRequest,
  page: string,
  now: Date,
  { problem, lead }: Beside,
): Promise<ChooserProps> {
  const { store, status, plans } = shellOf(request)
  const carried = carriedFrom(queryOf(request))
  const discount = await discountOf(request)
  const own = plans.find(({ id }) => id === store.planId)
  const choice = choiceOf(request, plans.find(({ id }) => id === discount.planId) ?? own)
  return {
    choice,
    offers: planOffers({ store, status, plans, discount, now }, choice),
    current: own && !isLockedOut({ store, status }) ? own : null,
    discount,
    message: discountMessage(discount, plans),
    acts: actsOf(page, choice, discount, carried.code),
    carried,
    nextCycle: status.nextBill ? formatDate(status.nextBill, store.timeZone) : null,
    problem: problem ?? null,
    lead: lead ?? null,
  }
}

/** Every plan at once, by level, size and billing period. */
export async function allPlansOf(
  request: FastifyRequest,
  page: string,
  now: Date,
  { problem, lead }: Beside,
): Promise<AllPlansProps> {
  const { store, status, plans } = shellOf(request)
  const discount = await discountOf(request)
  const offering: Offering = { store, status, plans, discount, now }
  return {
    offers: plans
      .toSorted(
        (a, b) => a.level - b.level || a.limit - b.limit || Number(a.isAnnual) - Number(b.isAnnual),
      )
      .map(plan => planOffer(plan, offering, plan.isAnnual)),
    message: discountMessage(discount, plans),
    acts: actsOf(page, null, discount, carriedFrom(queryOf(request)).code),
    problem: problem ?? null,
    lead: lead ?? null,
  }
}

/** What was chosen on a page that says so in its own address. */
export const stateOf = (choice: PlanChoice | null): string =>
  choice
    ? `?${new URLSearchParams({ visitors: String(choice.visitors), billing: choice.isAnnual ? 'annual' : 'monthly' })}`
    : ''

function choiceOf(request: FastifyRequest, from: Parameters<typeof planChoice>[1]): PlanChoice {
  const query = queryOf(request)
  return planChoice({ visitors: query.get('visitors'), billing: query.get('billing') }, from)
}

function actsOf(
  page: string,
  choice: PlanChoice | null,
  discount: DiscountCheck,
  code: string | undefined,
): PlanActs {
  return {
    page,
    state: stateOf(choice),
    flipped: choice ? page + stateOf({ ...choice, isAnnual: !choice.isAnnual }) : page,
    code: discount.isValid && code !== undefined ? code : null,
  }
}

/** The code that came along in the query (requirements 4.19). One that is not good for anything is as none at all. */
async function discountOf(request: FastifyRequest): Promise<DiscountCheck> {
  const { code } = carriedFrom(queryOf(request))
  if (code === undefined) return invalidDiscount
  const check = await outcomes.checkDiscount(apiOf(request), code)
  return check.isValid ? check : invalidDiscount
}
