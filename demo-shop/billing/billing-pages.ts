import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import type { AppSubscription } from './billing-rows.ts'
import type { Billing } from './billing.ts'
import type { Installation } from '../apps/installation.ts'
import type { PlatformViews } from '../admin/platform-views.ts'

export type BillingPagesOptions = {
  billing: Billing
  installation: Installation
  views: PlatformViews
}

const appPath = '/admin/apps/twinshelf'
type ById = { Params: { id: string } }

/**
 * The back office's pages about apps: what they cost, approving and declining, uninstalling the app
 * and installing it again.
 */
export const billingPages: FastifyPluginAsync<BillingPagesOptions> = async (
  app,
  { billing, installation, views },
) => {
  const page = (reply: FastifyReply, name: string, data: object) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "frame-ancestors 'none'")
      .header('cache-control', 'no-store')
      .send(views.render(name, { at: 'apps', ...data }))

  app.get('/admin/apps', (_, reply) =>
    page(reply, 'admin-apps', {
      installed: installation.isInstalled(),
      isRedactDue: installation.isRedactDue(),
      subscriptions: billing.all().map(shownSubscription),
    }),
  )
  app.post(`${appPath}/uninstall`, (_, reply) => {
    installation.uninstall()
    return reply.redirect('/admin/apps', 303)
  })
  app.post(`${appPath}/redact`, (_, reply) => {
    installation.redact()
    return reply.redirect('/admin/apps', 303)
  })
  app.post(`${appPath}/install`, (_, reply) => {
    installation.install()
    return reply.redirect(appPath, 303)
  })

  app.get<ById>('/admin/billing/:id', (request, reply) => {
    const subscription = billing.byId(request.params.id)
    return subscription
      ? page(reply, 'admin-billing', {
          subscription: shownSubscription(subscription),
          back: backTo(subscription),
        })
      : reply.callNotFound()
  })
  for (const answer of ['approve', 'decline'] as const)
    app.post<ById>(`/admin/billing/:id/${answer}`, (request, reply) => {
      const done = answer === 'approve' ? ['Active', 'Accepted'] : ['Declined']
      const known = billing.byId(request.params.id)
      if (!known) return reply.callNotFound()
      // A second click changes nothing.
      if (!done.includes(known.status)) billing[answer](known.id)
      return reply.redirect(backTo(known), 303)
    })
  for (const change of ['cancel', 'freeze', 'unfreeze'] as const)
    app.post<ById>(`/admin/billing/:id/${change}`, (request, reply) => {
      billing[change](request.params.id)
      return reply.redirect('/admin/apps', 303)
    })
}

const backTo = ({ returnPath }: AppSubscription): string =>
  appPath + (returnPath === '/' ? '' : returnPath)

/** A subscription as pages show it, with amounts in minor units. */
export function shownSubscription(subscription: AppSubscription) {
  const { discount, price } = subscription
  const charged = !discount
    ? price
    : Math.max(
        0,
        discount.kind === 'fixed' ? price - discount.value : price * (1 - discount.value / 100),
      )
  const iso = (date: Date | null) => date?.toISOString() ?? null
  return {
    ...subscription,
    // The views format money from minor units.
    price: price * 100,
    charged: Math.round(charged * 100),
    discount: discount && {
      text: discount.kind === 'fixed' ? `$${discount.value}` : `${discount.value}%`,
    },
    createdAt: iso(subscription.createdAt),
    trialEndsAt: iso(subscription.trialEndsAt),
    periodEndsAt: iso(subscription.periodEndsAt),
  }
}
