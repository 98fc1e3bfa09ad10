import type { FastifyRequest } from 'fastify'
import { h } from 'preact'
import type { Api } from '../../domain/api/api-client.ts'
import type { Breakdown, BreakdownSort } from '../../domain/reports/breakdown.ts'
import type { Input } from '../../domain/api/contract.ts'
import { BreakdownCard } from '../../views/reports/tabs/report-tab-breakdown.tsx'
import type { BreakdownList } from '../../views/reports/tabs/report-breakdown-columns.ts'
import type { ListName, TabState } from '../../views/reports/tabs/report-tab-links.tsx'
import { apiOf, storeOf } from '../session/visit.ts'
import type { Asked, Content } from './report-tabs.ts'

type List = { api: Api; params: { id: string }; query: NonNullable<Input<'byDevice'>['query']> }

/** A tab with one list. */
export const listTab =
  (breakdown: Breakdown, ask: (list: List) => Promise<BreakdownList>) =>
  async ({ request, state, testing }: Asked): Promise<Content> => {
    const [list, test] = await Promise.all([ask(listOf(request, state, 'list')), testing])
    return {
      view: h(BreakdownCard, { breakdown, state, list, test, currency: storeOf(request).currency }),
      counts: { list: list.count },
    }
  }

/** The filters of a tab, as the query of a call. */
export const filtersOf = ({ device, visitors, channels: chosen, country }: TabState) => ({
  device,
  visitors,
  ...(chosen.length > 0 && { channels: chosen.join(',') }),
  ...(country !== 'all' && { country }),
})

/** The call of the engine for one of a tab's lists. */
export const listOf = (request: FastifyRequest, state: TabState, name: ListName): List => {
  const { testId: id, pageSize } = state,
    { page: at, sort, descending } = state[name]
  return {
    api: apiOf(request),
    params: { id },
    query: { ...filtersOf(state), page: at, pageSize, sort: sort as BreakdownSort, descending },
  }
}
