import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import type { Bearer } from '../apps/bearer.ts'
import { subscriptionJson, type NewSubscription } from './billing-rows.ts'
import type { Billing } from './billing.ts'
import { fieldsOf, integer, text, type Fields } from '../forms.ts'
import type { Installation } from '../apps/installation.ts'

/** `isApp`: whether a request has the app's bearer token, whether or not the app is installed. */
export type BillingApiOptions = {
  adminOrigin: string
  billing: Billing
  installation: Installation
  isApp: Bearer
}

type ById = { Params: { id: string } }

/**
 * What an installed app may read and change of its billing, and its own uninstall. Every request
 * needs one of the app's access tokens as a bearer token.
 */
export const billingApi: FastifyPluginAsync<BillingApiOptions> = async (
  app,
  { adminOrigin, billing, installation, isApp },
) => {
  const ask = (request: FastifyRequest, isUninstall = false): void => {
    if (!isApp(request))
      throw new HttpProblem(401, 'This needs an access token of the app as a bearer.')
    if (!isUninstall && !installation.isInstalled())
      throw new HttpProblem(401, 'The app is not installed in this shop.')
  }
  app.get('/admin/api/app_subscriptions.json', request => {
    ask(request)
    return billing.all().map(subscriptionJson)
  })
  app.post('/admin/api/app_subscriptions.json', request => {
    ask(request)
    const subscription = billing.create(requestOf(fieldsOf(request)))
    return {
      ...subscriptionJson(subscription),
      confirmation_url: `${adminOrigin}/admin/billing/${subscription.id}`,
    }
  })
  app.delete<ById>('/admin/api/app_subscriptions/:id', request => {
    ask(request)
    return subscriptionJson(billing.cancel(request.params.id))
  })
  app.put<ById>('/admin/api/app_subscriptions/:id/trial', request => {
    ask(request)
    const days = integer(fieldsOf(request)['days'])
    if (!(days >= 1 && days <= 1000)) throw wrong('days', '1 to 1000 days.')
    return subscriptionJson(billing.extendTrial(request.params.id, days))
  })
  // The only request that an uninstalled app may make: it may not know yet that it is uninstalled.
  app.post('/admin/api/uninstall', request => {
    ask(request, true)
    installation.uninstall()
    return { ok: true }
  })
}

function requestOf(fields: Fields): NewSubscription {
  const planId = text(fields['plan_id']),
    title = text(fields['name']),
    returnPath = text(fields['return_path'])
  const price = integer(fields['price']),
    trialDays = integer(fields['trial_days'])
  if (!/^[\w-]{1,64}$/.test(planId)) throw wrong('plan_id', 'The app’s own name of the plan.')
  if (title === '' || title.length > 100) throw wrong('name', 'A name of at most 100 characters.')
  if (Number.isNaN(price)) throw wrong('price', 'Whole dollars.')
  if (!(trialDays <= 1000)) throw wrong('trial_days', 'At most 1000 days.')
  if (!/^\/(?![/\\])[\w/?=&.%~+*!'(),;:@$-]*$/.test(returnPath))
    throw wrong('return_path', 'A path of the app.')
  if (!['EVERY_30_DAYS', 'ANNUAL'].includes(text(fields['interval'])))
    throw wrong('interval', 'EVERY_30_DAYS or ANNUAL.')
  if (
    !['APPLY_IMMEDIATELY', 'APPLY_ON_NEXT_BILLING_CYCLE'].includes(
      text(fields['replacement_behavior']),
    )
  )
    throw wrong('replacement_behavior', 'APPLY_IMMEDIATELY or APPLY_ON_NEXT_BILLING_CYCLE.')
  return {
    planId,
    title,
    price,
    trialDays,
    returnPath,
    isAnnual: fields['interval'] === 'ANNUAL',
    takesEffect:
      fields['replacement_behavior'] === 'APPLY_ON_NEXT_BILLING_CYCLE'
        ? 'nextCycle'
        : 'immediately',
    discount: discountOf(fields['discount']),
  }
}

function discountOf(discount: unknown): NewSubscription['discount'] {
  if (discount === null || discount === undefined) return null
  const { percentage, amount } = discount as Fields
  const value = integer(percentage ?? amount)
  if (!(value > 0) || (percentage !== undefined && value > 100))
    throw wrong('discount', 'A percentage of 1 to 100, or an amount of whole dollars.')
  return { kind: percentage !== undefined ? 'percentage' : 'fixed', value }
}

const wrong = (field: string, message: string) =>
  new HttpProblem(422, `${field}: ${message}`, [{ field, message }])
