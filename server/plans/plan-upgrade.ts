import type { FastifyInstance, FastifyRequest } from 'fastify'
import { h, type JSX } from 'preact'
import { capabilities, openingLevel } from '../../domain/access.ts'
import { paths } from '../../domain/paths.ts'
import { PlanUpgrade } from '../../views/plans/plan-upgrade.tsx'
import { isOpen } from '../session/access.ts'
import { offerOf } from './plan-chooser.ts'
import { pathOf, queryOf } from '../http/query.ts'

/**
 * The plan-upgrade modal (requirements 4.14). It opens over the page of `app` on which the merchant
 * met a closed feature: the page's address with `ask=upgrade` and `feature`.
 */
export function planUpgrade(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  app.addHook('preHandler', async request => {
    const query = queryOf(request)
    if (request.method !== 'GET' || query.get('ask') !== 'upgrade') return
    const capability = capabilities.find(name => name === query.get('feature')),
      level = capability && openingLevel(capability)
    // The feature may have been opened meanwhile.
    if (!capability || level == null || isOpen(request, capability)) return
    const offered = await offerOf(request, paths.settings('billing'), clock(), level)
    for (const name of ['ask', 'feature']) query.delete(name)
    request.upgradeDialog = h(PlanUpgrade, {
      capability,
      ...offered,
      at: pathOf(request) + (query.size > 0 ? `?${query}` : ''),
    })
  })
}

/** The upgrade dialog that the request asked for, or null. */
export const upgradeAsked = (request: FastifyRequest): JSX.Element | null => request.upgradeDialog
