import type { FastifyInstance } from 'fastify'
import { h } from 'preact'
import { paths } from '../../domain/paths.ts'
import { findingWords, healthSorts } from '../../domain/staff/staff-health.ts'
import { ApiHealthPage } from '../../views/staff/admin-api-health.tsx'
import { AppStatsPage } from '../../views/staff/admin-app-stats.tsx'
import { StoresHealth } from '../../views/staff/admin-store-health.tsx'
import { beyondTheEnd, fieldText, listAsked, listState, type PostedWithId } from './admin-list.ts'
import { seeOther } from '../page/page.ts'
import { ownPath } from '../../domain/stores/own-address.ts'
import { staffPage } from './staff-page.ts'
import { staffApiOf } from './staff-visit.ts'
import { toast } from '../page/toasts.ts'

const storesPath = paths.admin('health/stores')

/** Staff's pages of the health of stores and of the API, and of the product's figures. */
export function adminHealth(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  app.get(storesPath, async (request, reply) => {
    const state = listState(request, {
      sorts: healthSorts,
      usual: { sort: 'troubles', descending: true },
      filters: { view: ['all'] },
    })
    const found = await staffApiOf(request).adminStoreHealth({
      query: { ...listAsked(state), view: state.filters['view'] === 'all' ? 'all' : 'troubled' },
    })
    return (
      beyondTheEnd(request, reply, state, found.count) ??
      staffPage(request, reply, {}, h(StoresHealth, { state, ...found, now: clock() }))
    )
  })

  app.post<PostedWithId>(`${storesPath}/:id`, async (request, reply) => {
    const { finding } = await staffApiOf(request).checkScript({ params: request.params })
    toast(request, reply, findingWords[finding], finding === 'answers' ? 'good' : 'bad')
    const back = ownPath(fieldText(request.body, 'back'))
    return seeOther(request, reply, back?.startsWith(`${storesPath}?`) ? back : storesPath)
  })

  app.get(paths.admin('health/api'), async (request, reply) =>
    staffPage(
      request,
      reply,
      {},
      h(ApiHealthPage, { health: await staffApiOf(request).adminApiHealth({}), now: clock() }),
    ),
  )

  app.get(paths.admin('app-stats'), async (request, reply) =>
    staffPage(
      request,
      reply,
      {},
      h(AppStatsPage, { stats: await staffApiOf(request).adminAppStats({}), now: clock() }),
    ),
  )
}
