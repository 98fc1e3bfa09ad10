import type { FastifyInstance } from 'fastify'
import { h } from 'preact'
import { paths } from '../../domain/paths.ts'
import { featureSorts } from '../../domain/staff/staff-stores.ts'
import { featureFlags } from '../../domain/stores/store.ts'
import { Features } from '../../views/staff/admin-features.tsx'
import { beyondTheEnd, fieldText, listAsked, listState, type PostedWithId } from './admin-list.ts'
import { seeOther } from '../page/page.ts'
import { queryOf } from '../http/query.ts'
import { staffPage } from './staff-page.ts'
import { staffApiOf } from './staff-visit.ts'
import { toast } from '../page/toasts.ts'

/** Feature flags of every store; `?store=` opens those of one. */
export function adminFeatures(app: FastifyInstance): void {
  app.get(paths.admin('stores/features'), async (request, reply) => {
    const state = listState(request, {
      sorts: featureSorts,
      usual: { sort: 'name', descending: false },
    })
    const api = staffApiOf(request),
      id = queryOf(request).get('store')
    const [found, chosen] = await Promise.all([
      api.adminFeatures({ query: listAsked(state) }),
      id ? api.adminStoreFeatures({ params: { id: id.slice(0, 64) } }) : null,
    ])
    return (
      beyondTheEnd(request, reply, state, found.count) ??
      staffPage(request, reply, {}, h(Features, { state, ...found, chosen }))
    )
  })

  app.post<PostedWithId>(`${paths.admin('stores/features')}/:id`, async (request, reply) => {
    const was = fieldText(request.body, 'was').split(',')
    const isOn = (flag: string) => fieldText(request.body, flag) !== ''
    const store = await staffApiOf(request).switchFeatures({
      params: request.params,
      body: {
        on: featureFlags.filter(flag => isOn(flag) && !was.includes(flag)),
        off: featureFlags.filter(flag => !isOn(flag) && was.includes(flag)),
      },
    })
    toast(request, reply, `The flags of ${store.name} were saved.`)
    return seeOther(
      request,
      reply,
      `${paths.admin('stores/features')}?search=${encodeURIComponent(store.shop)}`,
    )
  })
}
