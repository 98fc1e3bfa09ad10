import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { HttpProblem } from '../../../domain/problem.ts'
import { adminPage } from '../../admin/admin-page.ts'
import type { PlatformViews } from '../../admin/platform-views.ts'
import { shownSubscription } from '../../billing/billing-pages.ts'
import { text, type Fields } from '../../forms.ts'
import { shopifyShop } from '../../shopify/shop-names.ts'
import { storePath } from '../launch.ts'
import type { ShopifyApp } from '../shopify-app.ts'
import { returnUrl, type Charges } from './charges.ts'

type OfCharge = { Params: { store: string; app: string; id: string } }
const path =
  '/admin/store/:store/charges/:app/:id/RecurringApplicationCharge/confirm_recurring_application_charge'

/**
 * The page on which a merchant approves or declines what the app wants to charge, and the acts of
 * the platform on a charge: it freezes one while the shop's own bill is unpaid.
 */
export const chargePages: FastifyPluginAsync<{
  app: ShopifyApp
  charges: Charges
  views: PlatformViews
}> = async (server, { app, charges, views }) => {
  const page = adminPage(views)
  const appPage = `${storePath}/apps/${app.handle}`
  const chargeOf = ({ params, query }: FastifyRequest<OfCharge>) => {
    const charge = charges.byId(params.id)
    const signature = text((query as Fields)['signature'])
    if (params.store !== shopifyShop.handle || params.app !== app.apiKey || !charge)
      throw new HttpProblem(404, 'There is no such charge.')
    if (!charges.isSigned(charge.id, signature))
      throw new HttpProblem(403, 'This address of a charge is not complete.')
    return charge
  }
  server.get<OfCharge>(path, (request, reply) => {
    const charge = chargeOf(request)
    return page(reply, 'shopify-charge', {
      at: 'shopify',
      app: app.title,
      charge: shownSubscription(charge),
      isTest: charge.given?.['test'] === true,
      act: request.url.replace('/confirm_recurring', '/answer_recurring'),
      back: charge.status === 'Active' ? returnUrl(charge) : appPage,
    })
  })
  server.post<OfCharge & { Body: Fields }>(
    path.replace('/confirm_recurring', '/answer_recurring'),
    (request, reply) => {
      const charge = chargeOf(request)
      const isApproved = text(request.body?.['answer']) === 'approve'
      const done = isApproved ? ['Active', 'Accepted'] : ['Declined']
      // A second click changes nothing.
      if (!done.includes(charge.status)) charges[isApproved ? 'approve' : 'decline'](charge.id)
      return reply.redirect(isApproved ? returnUrl(charge) : appPage, 303)
    },
  )
  server.post<{ Params: { store: string; id: string; act: string } }>(
    '/admin/store/:store/settings/apps/charges/:id/:act',
    ({ params: { store, id, act } }, reply) => {
      if (store !== shopifyShop.handle || !['cancel', 'freeze', 'unfreeze'].includes(act))
        throw new HttpProblem(404, 'There is nothing here.')
      charges[act as 'cancel' | 'freeze' | 'unfreeze'](id)
      return reply.redirect(`${storePath}/settings/apps`, 303)
    },
  )
}
