import type { FastifyRequest } from 'fastify'
import {
  type DiscountCheck,
  discountMessage,
  invalidDiscount,
} from '../../domain/plans/discount.ts'
import { askedPage, destination } from '../../domain/destination.ts'
import { formatDate } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import {
  choiceAddress,
  flipped,
  type Offering,
  planChoice,
  planOffer,
  planOffers,
  planPositions,
  type PlanChoice,
} from '../../domain/plans/plan-offer.ts'
import type { Plan } from '../../domain/plans/plan.ts'
import { isLockedOut } from '../../domain/startup.ts'
import type { AllPlansProps } from '../../views/plans/plan-pages.tsx'
import { downgradeId, type PlanActs } from '../../islands/plans/plan-card.tsx'
import { compareId } from '../../islands/plans/plan-compare.tsx'
import type { ChooserProps } from '../../views/plans/plan-chooser.tsx'
import type { UpgradeProps } from '../../views/plans/plan-upgrade.tsx'
import type { LeadProps } from '../../views/plans/plan-lead.tsx'
import { outcomes } from '../upstream/api-outcomes.ts'
import { type Carried, carriedFrom, queryOf, withQuery } from '../http/query.ts'
import { apiOf, shellOf } from '../session/visit.ts'

/** What a page of plans shows besides the plans: a problem, and the dialog for a custom plan. */
export type Beside = { problem?: string; lead?: LeadProps }

/** What a store is offered: its plan, its discount, and the position that the query asks for. */
type Offered = {
  offering: Offering
  choice: PlanChoice
  /** Null when the store has no plan, or has lost it. */
  current: Plan | null
  acts: PlanActs
  nextCycle: string | null
}

async function offeredTo(request: FastifyRequest, page: string, now: Date): Promise<Offered> {
  const { store, status, plans } = shellOf(request)
  const discount = await discountOf(request)
  const own = plans.find(({ id }) => id === store.planId)
  const choice = choiceOf(request, { own, wanted: plans.find(({ id }) => id === discount.planId) })
  return {
    offering: { store, status, plans, discount, now },
    choice,
    current: own && !isLockedOut({ store, status }) ? own : null,
    acts: actsOf(request, page, choice, discount),
    nextCycle: status.nextBill ? formatDate(status.nextBill, store.timeZone) : null,
  }
}

/**
 * The plans that the store can choose, at the position in the query, with the discount code that
 * the query carries.
 */
export async function chooserOf(
  request: FastifyRequest,
  page: string,
  now: Date,
  { problem, lead }: Beside,
): Promise<ChooserProps> {
  const { offering, choice, current, acts, nextCycle } = await offeredTo(request, page, now)
  const { discount, plans } = offering
  return {
    chooser: {
      choice,
      positions: planPositions(offering),
      current: current && {
        title: current.title,
        limit: current.limit,
        isAnnual: current.isAnnual,
      },
      discount,
      message: discountMessage(discount, plans),
      page,
      talk: acts.talk,
      code: acts.code,
      carried: keptOf(request),
      nextCycle,
      asked: dialogAsked(request),
    },
    problem: problem ?? null,
    lead: lead ?? null,
  }
}

/** The offer of the plan of a level, at the store's size and billing period; null without one. */
export async function offerOf(
  request: FastifyRequest,
  page: string,
  now: Date,
  level: number,
): Promise<Pick<UpgradeProps, 'offer' | 'discount' | 'acts' | 'current' | 'nextCycle'>> {
  const { offering, choice, ...offered } = await offeredTo(request, page, now)
  return {
    ...offered,
    discount: offering.discount,
    offer: planOffers(offering, choice).find(({ plan }) => plan.level === level) ?? null,
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
    acts: actsOf(request, page, null, discount),
    problem: problem ?? null,
    lead: lead ?? null,
  }
}

/** Id of the dialog that the query asks for: the comparison, or the downgrade to a plan. */
function dialogAsked(request: FastifyRequest): string | null {
  const query = queryOf(request),
    plan = query.get('plan')
  if (request.method !== 'GET') return null
  if (query.get('ask') === 'compare') return compareId
  return query.get('ask') === 'downgrade' && plan !== null ? downgradeId({ id: plan }) : null
}

function choiceOf(request: FastifyRequest, known: Parameters<typeof planChoice>[1]): PlanChoice {
  const query = queryOf(request)
  return planChoice(
    { visitors: query.get('visitors'), step: query.get('step'), billing: query.get('billing') },
    known,
  )
}

/** Without a choice: on a page that does not keep one in its address. */
function actsOf(
  request: FastifyRequest,
  page: string,
  choice: PlanChoice | null,
  discount: DiscountCheck,
): PlanActs {
  const carried = keptOf(request)
  return {
    page,
    talk: paths.customRequest(page),
    state: choice
      ? choiceAddress('', choice, carried)
      : withQuery('', { [askedPage]: carried.from }),
    flipped: choice ? choiceAddress(page, flipped(choice), carried) : page,
    code: discount.isValid && carried.code !== undefined ? carried.code : null,
  }
}

/**
 * The parameters that every address of a plan page keeps: host, shop and code, and the page that
 * was asked for first.
 */
function keptOf(request: FastifyRequest): Carried & { [askedPage]?: string } {
  const query = queryOf(request),
    asked = destination(query.get(askedPage))
  return { ...carriedFrom(query), ...(asked !== null && { [askedPage]: asked }) }
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
