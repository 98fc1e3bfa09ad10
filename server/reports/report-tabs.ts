import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h, type JSX } from 'preact'
import type { Test } from '../../domain/tests/ab-test.ts'
import type { Capability } from '../../domain/access.ts'
import type { ProductSort } from '../../domain/reports/breakdown.ts'
import { paths } from '../../domain/paths.ts'
import { partTabs, tabLabel, tabNamed, type PartTab } from '../../domain/reports/report-tab.ts'
import { closedFor } from '../../domain/tests/test-closed.ts'
import { subscriptionFigures } from '../../domain/reports/subscription-figures.ts'
import { isSplitBroken } from '../../domain/reports/uncompared.ts'
import { Closed } from '../../views/closed.tsx'
import { BoughtCard } from '../../views/reports/tabs/report-tab-bought.tsx'
import { BreakdownCard } from '../../views/reports/tabs/report-tab-breakdown.tsx'
import type { BreakdownList } from '../../views/reports/tabs/report-breakdown-columns.ts'
import { filterWords, TabFiltersForm } from '../../views/reports/tabs/report-tab-filters.tsx'
import {
  tabPath,
  type ListName,
  type TabState,
} from '../../views/reports/tabs/report-tab-links.tsx'
import { ProductsCard } from '../../views/reports/tabs/report-tab-products.tsx'
import { ProductSearch, ReferrerSearch } from '../../views/reports/tabs/report-tab-search.tsx'
import {
  RenewalsCard,
  SubscriptionCard,
} from '../../views/reports/tabs/report-tab-subscriptions.tsx'
import { ReportFrame } from '../../views/reports/tabs/report-tabs.tsx'
import { isOpen } from '../session/access.ts'
import { outcomes } from '../upstream/api-outcomes.ts'
import { page, seeOther } from '../page/page.ts'
import { carriedFrom, queryOf } from '../http/query.ts'
import { allowed, chosenIn, fitting, mayNeedFitting, stateOf } from './report-tab-state.ts'
import { apiOf, storeOf } from '../session/visit.ts'
import { filtersOf, listOf, listTab } from './report-tab-list.ts'

type TabRoute = { Params: { id: string } }

/** What a tab shows, and the number of rows in each of its lists that has pages. */
export type Content = { view: JSX.Element; counts?: Partial<Record<ListName, number>> }

/** What the contents of a tab are made from. */
export type Asked = { request: FastifyRequest; state: TabState; testing: Promise<Test> }

/** The report's tabs besides its overview (`reports.ts`). */
export function reportTabs(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  for (const { name } of partTabs)
    app.get<TabRoute>(paths.report(':id', name), (request, reply) =>
      show(request, reply, name, clock()),
    )
}

async function show(
  request: FastifyRequest<TabRoute>,
  reply: FastifyReply,
  tab: PartTab,
  now: Date,
): Promise<FastifyReply> {
  const asked = allowed(request, stateOf(request.params.id, tab, queryOf(request))),
    { refused } = asked
  const testing = apiOf(request).test({ params: { id: asked.state.testId } })
  const state = mayNeedFitting(asked.state) ? fitting(asked.state, await testing) : asked.state
  const closed = closedBy(request, tab),
    hasFilters = !closed && !tabNamed(tab).isWhole
  const content: Content | Promise<Content> = closed
    ? { view: h(Closed, { capability: closed, at: tabPath(state) }) }
    : contents[tab]({ request, state, testing })
  const [test, { view, counts = {} }, countries] = await Promise.all([
    testing,
    content,
    hasFilters ? countriesOf(request, state) : null,
  ])
  // A list's page is beyond the end: someone typed it, or there are fewer rows now. Show the first
  // page.
  const beyond = (['list', 'second'] as const).filter(
    name => (counts[name] ?? 0) > 0 && state[name].page * state.pageSize >= counts[name]!,
  )
  if (beyond.length > 0)
    return seeOther(
      request,
      reply,
      tabPath({
        ...state,
        ...Object.fromEntries(beyond.map(name => [name, { ...state[name], page: 0 }])),
      }),
    )
  const store = storeOf(request)
  const open = {
    visitors: isOpen(request, 'VisitorReporting'),
    channels: isOpen(request, 'ChannelsReporting'),
  }
  const filters = hasFilters
    ? h(TabFiltersForm, {
        state,
        open,
        notInFile: test.notInFile,
        countries,
        refused,
        unknown: chosenIn(queryOf(request)).unknown,
        carried: carriedFrom(queryOf(request)),
      })
    : null
  return page(
    request,
    reply,
    {
      title: `${test.title}: ${tabLabel(tab)}`,
      figures: { revision: test.revision, test: test.id },
    },
    h(ReportFrame, {
      test,
      tab,
      chosen: state,
      narrowed: narrowedTo(state, hasFilters),
      store,
      now,
      closed: closedFor(test, capability => isOpen(request, capability)),
      children: [filters, view],
    }),
  )
}

const narrowedTo = (state: TabState, hasFilters: boolean): string[] => [
  ...(hasFilters ? filterWords(state) : []),
  ...(state.search ? [`found by “${state.search}”`] : []),
]

const closedBy = (request: FastifyRequest, tab: PartTab): Capability | null => {
  const { access } = tabNamed(tab)
  return access && !isOpen(request, access) ? access : null
}

/**
 * The most countries that the filter offers, those with the most visitors: as many rows as the API
 * returns at once.
 */
const countriesOffered = 100

async function countriesOf(
  request: FastifyRequest,
  { testId: id }: TabState,
): Promise<string[] | null> {
  if (!isOpen(request, 'CountrySegmentation')) return null
  const { rows } = await apiOf(request).byCountry({
    params: { id },
    query: { pageSize: countriesOffered },
  })
  return rows.map(({ value }) => value)
}

const stack = (...children: (JSX.Element | false)[]) =>
  h('div', { class: 'stack report-panel' }, children)

const contents: Record<PartTab, (asked: Asked) => Promise<Content>> = {
  devices: listTab('device', ({ api, ...asked }) => api.byDevice(asked)),
  channels: listTab('channel', ({ api, ...asked }) => api.byChannel(asked)),
  subscriptions: async ({ request, state, testing }) => {
    const { api, params, query } = listOf(request, state, 'list')
    const { currency } = storeOf(request)
    // The figures need the rows of all order types together. There are few, so they have no pages.
    const [list, test] = await Promise.all([
      api.byOrderType({ params, query: { ...query, page: 0, pageSize: 100 } }),
      testing,
    ])
    const figures = subscriptionFigures(list.rows)
    const sold = list.rows.filter(({ value }) => value !== 'renewal')
    const types = (rows: BreakdownList['rows']) =>
      h(BreakdownCard, {
        breakdown: 'orderType',
        state,
        list: { ...list, rows, count: rows.length },
        test,
        currency,
      })
    if (!figures) return { view: types([]) }
    return {
      view: stack(
        h(SubscriptionCard, { figures, currency, isSplitBroken: isSplitBroken(test) }),
        sold.length > 0 && types(sold),
        h(RenewalsCard, { renewal: list.rows.find(({ value }) => value === 'renewal'), currency }),
      ),
    }
  },
  visitors: async ({ request, state, testing }) => {
    const { api, params, query } = listOf(request, state, 'list')
    const { currency } = storeOf(request)
    const [kinds, countries, referrers, test] = await Promise.all([
      // Two rows, always in the same order.
      api.byVisitors({ params, query: { ...filtersOf(state), sort: 'value' } }),
      isOpen(request, 'CountrySegmentation')
        ? api.byCountry({ params, query: listOf(request, state, 'second').query })
        : null,
      isOpen(request, 'ChannelsReporting')
        ? api.referrers({
            params,
            query: { ...query, ...(state.search && { search: state.search }) },
          })
        : null,
      testing,
    ])
    // Without visitors there are no countries and nothing to search. The first list says so, which
    // is enough.
    const some = kinds.count > 0 || test.isImported
    const view = stack(
      h(BreakdownCard, { breakdown: 'visitors', state, list: kinds, name: null, test, currency }),
      countries === null
        ? h(Closed, { capability: 'CountrySegmentation', at: tabPath(state) })
        : some &&
            h(BreakdownCard, {
              breakdown: 'country',
              state,
              list: countries,
              name: 'second',
              test,
              currency,
            }),
      referrers === null
        ? h(Closed, { capability: 'ChannelsReporting', at: tabPath(state) })
        : some &&
            h(BreakdownCard, {
              breakdown: 'referrer',
              state,
              list: referrers,
              test,
              currency,
              search: h(ReferrerSearch, { state }),
            }),
    )
    return { view, counts: { list: referrers?.count ?? 0, second: countries?.count ?? 0 } }
  },
  products: async ({ request, state, testing }) => {
    const api = apiOf(request),
      {
        testId: id,
        pageSize,
        search,
        list: { page: at, sort, descending },
      } = state
    const asking = api.byProduct({
      params: { id },
      query: {
        page: at,
        pageSize,
        sort: sort as ProductSort,
        descending,
        ...(search && { search }),
      },
    })
    const [list, prices, test] = await Promise.all([
      asking,
      pricesOf(request, state, testing),
      testing,
    ])
    const bought = h(BoughtCard, {
      state,
      isImported: test.isImported,
      list,
      isSplitBroken: isSplitBroken(test),
      currency: storeOf(request).currency,
      search: h(ProductSearch, { state, carried: carriedFrom(queryOf(request)) }),
    })
    return {
      view: stack(bought, prices?.view ?? false),
      counts: { list: list.count, second: prices?.count ?? 0 },
    }
  },
}

/** The prices in both arms of a price test; null in a test of another kind. */
async function pricesOf(
  request: FastifyRequest,
  state: TabState,
  testing: Promise<Test>,
): Promise<{ view: JSX.Element; count: number } | null> {
  const test = await testing
  if (test.kind !== 'Price') return null
  if (!isOpen(request, 'PriceTesting'))
    return { view: h(Closed, { capability: 'PriceTesting', at: tabPath(state) }), count: 0 }
  const list = await outcomes.product(
    apiOf(request).testProducts({
      params: { id: test.id },
      query: { page: state.second.page, limit: state.pageSize },
    }),
  )
  return { view: h(ProductsCard, { state, list }), count: list.totalCount }
}
