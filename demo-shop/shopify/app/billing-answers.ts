import { HttpProblem } from '../../../domain/problem.ts'
import { day } from '../../../domain/time-units.ts'
import type { AppSubscription } from '../../billing/billing-rows.ts'
import { connection, type PageArgs } from '../api/connection.ts'
import { gid, idIn } from '../api/gid.ts'
import { moneyIn } from '../api/money.ts'
import type { Answers, FaceParts } from '../face-parts.ts'

type Discount = {
  durationLimitInIntervals?: number | null
  value?: { percentage?: number | null; amount?: string | null } | null
}
type Recurring = {
  interval: 'EVERY_30_DAYS' | 'ANNUAL'
  price: { amount: string; currencyCode: string }
  discount?: Discount | null
}
type LineItem = {
  plan: { appRecurringPricingDetails?: Recurring | null; appUsagePricingDetails?: object | null }
}
type Given = {
  name: string
  returnUrl: string
  trialDays?: number | null
  test: boolean
  replacementBehavior: string
  lineItems: LineItem[]
}
const dollars = (amount: number) => moneyIn(Math.round(amount * 100), 'USD')
const maxTrial = 1_000

/** Subscriptions to the app: asked for here, and approved by the merchant on a page. */
export function billingAnswers({ state, adminOrigin }: FaceParts) {
  const { charges } = state.web!

  const answerOf = (one: AppSubscription): object => {
    const { discount, price } = one
    const off = discount
      ? discount.kind === 'percentage'
        ? (price * discount.value) / 100
        : discount.value
      : 0
    return {
      __typename: 'AppSubscription',
      id: gid('AppSubscription', one.id),
      name: one.title,
      status: one.status.toUpperCase(),
      createdAt: one.createdAt.toISOString(),
      currentPeriodEnd: one.periodEndsAt?.toISOString() ?? null,
      // An extension makes the trial longer, counted from the beginning.
      trialDays: one.trialEndsAt
        ? Math.round((one.trialEndsAt.getTime() - one.createdAt.getTime()) / day)
        : one.trialDays,
      test: one.given?.['test'] === true,
      returnUrl: one.returnPath,
      lineItems: [
        {
          id: gid('AppSubscriptionLineItem', one.id),
          plan: {
            pricingDetails: {
              __typename: 'AppRecurringPricing',
              interval: one.isAnnual ? 'ANNUAL' : 'EVERY_30_DAYS',
              planHandle: null,
              price: dollars(price),
              discount: discount && {
                durationLimitInIntervals: one.given?.['intervals'] ?? null,
                remainingDurationInIntervals: one.given?.['intervals'] ?? null,
                priceAfterDiscount: dollars(Math.max(0, price - off)),
                value:
                  discount.kind === 'percentage'
                    ? {
                        __typename: 'AppSubscriptionDiscountPercentage',
                        percentage: discount.value / 100,
                      }
                    : {
                        __typename: 'AppSubscriptionDiscountAmount',
                        amount: dollars(discount.value),
                      },
              },
            },
          },
        },
      ],
    }
  }
  const one = (id: string): object | null => {
    const found = charges.byId(idIn('AppSubscription', id) ?? '')
    return found && answerOf(found)
  }
  const create = (given: Given) => {
    const refuse = (field: string, message: string) => ({
      appSubscription: null,
      confirmationUrl: null,
      userErrors: [{ field: [field], message }],
    })
    const { name, returnUrl, trialDays, test, replacementBehavior, lineItems } = given
    const [line, ...more] = lineItems
    const recurring = line?.plan.appRecurringPricingDetails
    if (name.trim() === '') return refuse('name', 'Name can’t be blank')
    if (!/^https?:\/\//.test(returnUrl)) return refuse('returnUrl', 'Return url is not valid')
    if (!((trialDays ?? 0) >= 0 && (trialDays ?? 0) <= maxTrial))
      return refuse('trialDays', `Trial days must be from 0 to ${maxTrial}`)
    if (!recurring || more.length > 0)
      return refuse('lineItems', 'This stand-in takes one recurring price, without usage')
    const price = Number(recurring.price.amount)
    if (!(price > 0)) return refuse('lineItems', 'Price must be more than 0')
    if (recurring.price.currencyCode !== 'USD')
      return refuse('lineItems', 'This shop pays its apps in USD')
    const { percentage, amount } = recurring.discount?.value ?? {}
    if (percentage != null && !(percentage > 0 && percentage <= 1))
      return refuse('lineItems', 'Percentage must be more than 0 and at most 1')
    if (amount != null && !(Number(amount) > 0 && Number(amount) <= price))
      return refuse('lineItems', 'Amount must be more than 0 and at most the price')
    const subscription = charges.create({
      planId: name,
      title: name,
      price,
      isAnnual: recurring.interval === 'ANNUAL',
      trialDays: trialDays ?? 0,
      discount:
        percentage != null
          ? { kind: 'percentage', value: Number((percentage * 100).toFixed(4)) }
          : amount != null
            ? { kind: 'fixed', value: Number(amount) }
            : null,
      takesEffect:
        replacementBehavior === 'APPLY_ON_NEXT_BILLING_CYCLE' ? 'nextCycle' : 'immediately',
      returnPath: returnUrl,
      given: { test, intervals: recurring.discount?.durationLimitInIntervals ?? null },
    })
    return {
      appSubscription: answerOf(subscription),
      confirmationUrl: adminOrigin + charges.confirmationPath(subscription.id),
      userErrors: [],
    }
  }
  /** Makes a change of a subscription; what is against it becomes an error of the answer. */
  const changed = (change: () => AppSubscription, code: (error: HttpProblem) => object) => {
    try {
      return { appSubscription: answerOf(change()), userErrors: [] }
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error
      return {
        appSubscription: null,
        userErrors: [{ field: ['id'], message: error.message, ...code(error) }],
      }
    }
  }
  const answers: Answers = {
    mutation: {
      appSubscriptionCreate: create,
      appSubscriptionCancel: ({ id }: { id: string }) =>
        changed(
          () => charges.cancel(idIn('AppSubscription', id) ?? ''),
          () => ({}),
        ),
      appSubscriptionTrialExtend: ({ id, days }: { id: string; days: number }) =>
        changed(
          () => {
            if (!(days >= 1 && days <= maxTrial))
              throw new HttpProblem(422, `Days must be from 1 to ${maxTrial}.`)
            return charges.extendTrial(idIn('AppSubscription', id) ?? '', days)
          },
          ({ status, message }) => ({
            code:
              status === 404
                ? 'SUBSCRIPTION_NOT_FOUND'
                : message.includes('trial')
                  ? 'TRIAL_NOT_ACTIVE'
                  : 'SUBSCRIPTION_NOT_ACTIVE',
          }),
        ),
    },
  }
  return {
    answers,
    nodes: { AppSubscription: one },
    /** What the installation says of them. */
    ofInstallation: {
      activeSubscriptions: () =>
        charges
          .all()
          .filter(({ status }) => status === 'Active')
          .map(answerOf),
      allSubscriptions: (page: PageArgs) =>
        connection(charges.all().toReversed(), page, ({ id }) => id, answerOf),
    },
  }
}
