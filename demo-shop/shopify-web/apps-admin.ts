import type { FastifyPluginAsync } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import { adminPage } from '../admin/admin-page.ts'
import type { PlatformViews } from '../admin/platform-views.ts'
import { shownSubscription } from '../billing/billing-pages.ts'
import { fieldsOf, integer, text } from '../forms.ts'
import type { ShopifyInstallation } from '../shopify/app/installation.ts'
import { shopifyShop } from '../shopify/shop-names.ts'
import { storePath } from './launch.ts'
import type { Leaving } from './leaving.ts'
import type { ShopifyApp } from './shopify-app.ts'
import type { WebState } from './web-state.ts'

const path = '/admin/store/:store/settings/apps'
type OfStore = { Params: { store: string } }

/** The admin's page about the app: installing and uninstalling it, and how webhooks reach it. */
export const appsAdmin: FastifyPluginAsync<{
  app: ShopifyApp
  installation: ShopifyInstallation
  leaving: Leaving
  web: Pick<WebState, 'deliveries' | 'charges'>
  views: PlatformViews
}> = async (server, { app, installation, leaving, web: { deliveries, charges }, views }) => {
  const page = adminPage(views)
  const here = `${storePath}/settings/apps`
  const acts: Record<string, () => void> = {
    install: installation.install,
    uninstall: installation.uninstall,
    redact: leaving.redact,
  }
  const requireStore = (store: string): void => {
    if (store !== shopifyShop.handle) throw new HttpProblem(404, 'There is no such store.')
  }
  server.get<OfStore>(path, ({ params }, reply) => {
    requireStore(params.store)
    return page(reply, 'shopify-apps', {
      at: 'shopify',
      app: app.title,
      appUrl: `${storePath}/apps/${app.handle}`,
      action: here,
      isInstalled: installation.isInstalled(),
      isRedactDue: leaving.isRedactDue(),
      charges: charges.all().map(charge => ({
        ...shownSubscription(charge),
        confirm: charges.confirmationPath(charge.id),
      })),
      waiting: deliveries.waiting(),
      faults: deliveries.faults(),
    })
  })
  server.post<OfStore & { Params: { act: string } }>(`${path}/:act`, (request, reply) => {
    requireStore(request.params.store)
    const { act } = request.params
    if (act === 'webhooks') {
      const fields = fieldsOf(request)
      deliveries.setFaults({
        copies: Math.min(5, Math.max(1, integer(fields['copies']) || 1)),
        isHeld: text(fields['held']) === 'on',
      })
    } else if (Object.hasOwn(acts, act)) acts[act]!()
    else throw new HttpProblem(404, 'There is nothing here.')
    return reply.redirect(act === 'install' ? `${storePath}/apps/${app.handle}` : here, 303)
  })
}
