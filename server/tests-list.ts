import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { listSorts, type ListTab } from '../domain/ab-test.ts'
import { listTabSlugs, paths } from '../domain/paths.ts'
import { HttpProblem } from '../domain/problem.ts'
import { usualSort, type ListState } from '../views/list-links.tsx'
import { TestsList } from '../views/tests-list.tsx'
import { drawnOnce } from './drawn.ts'
import { page, seeOther } from './page.ts'
import { carriedFrom, queryOf } from './query.ts'
import { apiOf, storeOf } from './visit.ts'

const perPage = 50
const tabOf = Object.fromEntries(Object.entries(listTabSlugs).map(([tab, slug]) => [slug, tab as ListTab]))

/** The tests list, at the app's front door. */
export function testsList(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  app.get(paths.home(), (request, reply) => list(request, reply, 'Active', clock()))
  app.get('/tests', (request, reply) => seeOther(request, reply, paths.home()))
  app.get<{ Params: { listTab: string } }>('/tests/list/:listTab', (request, reply) => {
    const tab = tabOf[request.params.listTab]
    if (!tab) throw new HttpProblem(404, 'There is no such list.')
    return list(request, reply, tab, clock())
  })
}

async function list(request: FastifyRequest, reply: FastifyReply, tab: ListTab, now: Date): Promise<FastifyReply> {
  const query = queryOf(request)
  const state = stateOf(tab, query)
  const { search, sort, descending, page: at } = state
  const found = await apiOf(request).tests({ query: { status: tab, page: at, perPage, sort, descending, ...(search && { search }) } })
  const pages = Math.ceil(found.count / perPage)
  // Beyond the end after a deletion, or by hand: the last page is nearer to what was meant than none.
  if (at > 0 && at >= pages) return seeOther(request, reply, withoutPage(request.url))
  const store = storeOf(request), carried = carriedFrom(query)
  const html = drawnOnce(found, now, JSON.stringify([state, store.timeZone, store.isDemo, carried]), () => renderToString(h(TestsList, { state, list: found, store, now, carried })))
  return page(request, reply, {}, { html })
}

/** What the address asks for; anything it cannot mean is taken as the usual. */
function stateOf(tab: ListTab, query: URLSearchParams): ListState {
  const sort = listSorts.find(name => name === query.get('sort')) ?? usualSort(tab)
  const number = Number(query.get('page') ?? 1)
  return {
    tab, sort, descending: query.get('order') !== 'ascending', search: (query.get('search') ?? '').trim().slice(0, 200),
    page: Number.isInteger(number) && number > 1 && number < 10_000 ? number - 1 : 0, perPage,
  }
}

function withoutPage(url: string): string {
  const [path, query] = url.split('?', 2) as [string, string | undefined]
  const rest = new URLSearchParams(query)
  rest.delete('page')
  return rest.size > 0 ? `${path}?${rest}` : path
}
