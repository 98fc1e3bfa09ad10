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

/** What a page of plans shows besides the plans: a problem, and the dialog for a custom plan. */
export type Beside = { problem?: string; lead?: LeadProps }

/**
 * The plans that the store can choose, for the visitors and the billing period in the query, with
 * the discount code that the query carries.
 */
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
  const choice = choiceOf(request, { own, wanted: plans.find(({ id }) => id === discount.planId) })
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

/**
 * The query for a choice, on a page that keeps the choice in its address; empty without a choice.
 */
export const stateOf = (choice: PlanChoice | null): string =>
  choice
    ? `?${new URLSearchParams({ visitors: String(choice.visitors), billing: choice.isAnnual ? 'annual' : 'monthly' })}`
    : ''

function choiceOf(request: FastifyRequest, known: Parameters<typeof planChoice>[1]): PlanChoice {
  const query = queryOf(request)
  return planChoice({ visitors: query.get('visitors'), billing: query.get('billing') }, known)
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

/**
 * The discount of the code in the query (requirements 4.19). An invalid code is treated as no code.
 */
async function discountOf(request: FastifyRequest): Promise<DiscountCheck> {
  const { code } = carriedFrom(queryOf(request))
  if (code === undefined) return invalidDiscount
  const check = await outcomes.checkDiscount(apiOf(request), code)
  return check.isValid ? check : invalidDiscount
}
