import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h, type JSX } from 'preact'
import type { Test } from '../domain/ab-test.ts'
import type { Capability } from '../domain/access.ts'
import type { Api } from '../domain/api-client.ts'
import { breakdownSorts, visitorKinds, type Breakdown } from '../domain/breakdown.ts'
import { channels } from '../domain/channel.ts'
import type { Input } from '../domain/contract.ts'
import { devices } from '../domain/device.ts'
import { paths } from '../domain/paths.ts'
import { routeNamed } from '../domain/routes.ts'
import { Closed } from '../views/closed.tsx'
import { BreakdownCard, type BreakdownList } from '../views/report-tab-breakdown.tsx'
import { TabFiltersForm } from '../views/report-tab-filters.tsx'
import { reportTabs as tabs, tabPath, usualPageSize, usualSort, usuallyDescending, type TabState } from '../views/report-tab-links.tsx'
import { NoProducts, ProductsCard } from '../views/report-tab-products.tsx'
import { ReferrerSearch } from '../views/report-tab-search.tsx'
import { ReportFrame, tabLabel } from '../views/report-tabs.tsx'
import { isOpen } from './access.ts'
import { outcomes } from './api-outcomes.ts'
import { page, seeOther } from './page.ts'
import { carriedFrom, queryOf } from './query.ts'
import { apiOf, storeOf } from './visit.ts'

type Tab = TabState['tab']
type TabRoute = { Params: { id: string } }
/** What a tab shows, and how many rows its list has where that has pages. */
type Content = { view: JSX.Element; count?: number }
type Asked = { request: FastifyRequest; state: TabState; testing: Promise<Test> }

/** The report's tabs beside its overview (`reports.ts`). */
export function reportTabs(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  for (const tab of tabs) if (tab !== 'overview') app.get<TabRoute>(paths.report(':id', tab), (request, reply) => show(request, reply, tab, clock()))
}

async function show(request: FastifyRequest<TabRoute>, reply: FastifyReply, tab: Tab, now: Date): Promise<FastifyReply> {
  const { state, refused } = allowed(request, stateOf(request.params.id, tab, queryOf(request)))
  const testing = apiOf(request).test({ params: { id: state.testId } })
  const closed = closedBy(request, tab)
  const content: Content | Promise<Content> = closed ? { view: h(Closed, { capability: closed }) } : contents[tab]({ request, state, testing })
  const [test, { view, count = 0 }] = await Promise.all([testing, content])
  // Beyond the end, by hand or because rows were fewer this time.
  if (count > 0 && state.page * state.pageSize >= count) return seeOther(request, reply, tabPath({ ...state, page: 0 }))
  const { timeZone } = storeOf(request)
  const open = { visitors: isOpen(request, 'VisitorReporting'), channels: isOpen(request, 'ChannelsReporting') }
  const filters = closed || tab === 'products' ? null : h(TabFiltersForm, { state, open, refused, carried: carriedFrom(queryOf(request)) })
  return page(request, reply, { title: `${test.title}: ${tabLabel(tab)}` }, h(ReportFrame, { test, tab, filters: state, timeZone, now, children: [filters, view] }))
}

const closedBy = (request: FastifyRequest, tab: Tab): Capability | null => {
  const { needs } = routeNamed(`report-${tab}`)
  return needs && !isOpen(request, needs) ? needs : null
}

type List = { api: Api; params: { id: string }; query: NonNullable<Input<'byDevice'>['query']> }
/** A tab of one list. */
const listTab = (breakdown: Breakdown, ask: (list: List) => Promise<BreakdownList>) => async ({ request, state }: Asked): Promise<Content> => {
  const list = await ask(listOf(request, state))
  return { view: h(BreakdownCard, { breakdown, state, list, currency: storeOf(request).currency }), count: list.count }
}

const contents: Record<Tab, (asked: Asked) => Promise<Content>> = {
  devices: listTab('device', ({ api, ...asked }) => api.byDevice(asked)),
  channels: listTab('channel', ({ api, ...asked }) => api.byChannel(asked)),
  subscriptions: listTab('orderType', ({ api, ...asked }) => api.byOrderType(asked)),
  visitors: async ({ request, state }) => {
    const { api, params, query } = listOf(request, state)
    const { currency } = storeOf(request)
    const [kinds, referrers] = await Promise.all([
      // Two rows, always in the same order: pages, sorting and searching are the referrers'.
      api.byVisitors({ params, query: { ...filtersOf(state), sort: 'value' } }),
      isOpen(request, 'ChannelsReporting') ? api.referrers({ params, query: { ...query, ...(state.search && { search: state.search }) } }) : null,
    ])
    const view = [
      h(BreakdownCard, { breakdown: 'visitors', state: { ...state, search: '' }, list: kinds, sorts: false, currency }),
      referrers === null ? h(Closed, { capability: 'ChannelsReporting' })
        // Without a visitor there is nothing to search in, and one list that says so is enough.
        : kinds.count > 0 && h(BreakdownCard, { breakdown: 'referrer', state, list: referrers, currency, search: h(ReferrerSearch, { state }) }),
    ]
    return { view: h('div', { class: 'stack report-panel' }, view), count: referrers?.count ?? 0 }
  },
  products: async ({ request, state, testing }) => {
    const test = await testing
    if (test.kind !== 'Price') return { view: h(NoProducts, { test }) }
    if (!isOpen(request, 'PriceTesting')) return { view: h(Closed, { capability: 'PriceTesting' }) }
    const { page: at, pageSize: limit } = state
    const list = await outcomes.product(apiOf(request).testProducts({ params: { id: test.id }, query: { page: at, limit } }))
    return { view: h(ProductsCard, { state, list }), count: list.totalCount }
  },
}

const filtersOf = ({ device, visitors, channels: chosen }: TabState) => ({ device, visitors, ...(chosen.length > 0 && { channels: chosen.join(',') }) })
const listOf = (request: FastifyRequest, state: TabState): List => {
  const { testId: id, page: at, pageSize, sort, descending } = state
  return { api: apiOf(request), params: { id }, query: { ...filtersOf(state), page: at, pageSize, sort, descending } }
}

/** What the address asks for; anything it cannot mean is taken as the usual. */
function stateOf(testId: string, tab: Tab, query: URLSearchParams): TabState {
  const sort = breakdownSorts.find(name => name === query.get('sort')) ?? usualSort(tab)
  // Together by comma, or one by one as a form sends them.
  const named = query.getAll('channels').flatMap(value => value.split(','))
  const chosen = channels.filter(name => named.includes(name))
  const order = query.get('descending')
  return {
    testId, tab, sort, descending: order === 'true' || order === 'false' ? order === 'true' : usuallyDescending(sort),
    device: devices.find(name => name === query.get('device')) ?? 'all', visitors: visitorKinds.find(name => name === query.get('visitors')) ?? 'all',
    channels: chosen.length === channels.length ? [] : chosen, search: tab === 'visitors' ? (query.get('search') ?? '').trim().slice(0, 200) : '',
    page: numberIn(query.get('page'), 0, 1_000_000) ?? 0, pageSize: numberIn(query.get('pageSize'), 1, 100) ?? usualPageSize,
  }
}

function numberIn(text: string | null, from: number, to: number): number | null {
  if (text === null || !/^\d{1,7}$/.test(text)) return null
  const number = Number(text)
  return number >= from && number <= to ? number : null
}

/** A filter opens no more than the breakdown by the same thing would. One that is not open is left out, and said so. */
function allowed(request: FastifyRequest, state: TabState): { state: TabState; refused: Capability[] } {
  const refused: Capability[] = []
  const open = { ...state }
  if (state.visitors !== 'all' && !isOpen(request, 'VisitorReporting')) { open.visitors = 'all'; refused.push('VisitorReporting') }
  if (state.channels.length > 0 && !isOpen(request, 'ChannelsReporting')) { open.channels = []; refused.push('ChannelsReporting') }
  return { state: open, refused }
}
