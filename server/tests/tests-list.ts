import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { type ListTab, listTabs } from '../../domain/tests/ab-test.ts'
import { noticeKey, stoppedTests } from '../../domain/tests/attention.ts'
import type { Output } from '../../domain/api/contract.ts'
import { paths } from '../../domain/paths.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { listPath, type ListState } from '../../views/list-links.tsx'
import { TestsList } from '../../views/tests/tests-list.tsx'
import { WinnersOff } from '../../views/tests/winners-off.tsx'
import { TestsStopped } from '../../views/tests/tests-stopped.tsx'
import { renderedOnce } from '../page/render-cache.ts'
import { lastSeen, putAway, stoppedSince } from '../page/last-seen.ts'
import { askedOfList, listActs } from './list-asks.ts'
import { listStateOf, listTabOf, perPage } from './list-state.ts'
import { page, seeOther } from '../page/page.ts'
import { carriedFrom, queryOf } from '../http/query.ts'
import { apiOf, storeOf } from '../session/visit.ts'

/** The tests list. */
export function testsList(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  app.get(paths.home(), (request, reply) => list(request, reply, 'Active', clock()))
  app.get('/tests', (request, reply) => seeOther(request, reply, paths.home()))
  app.get<{ Params: { listTab: string } }>('/tests/list/:listTab', (request, reply) => {
    const tab = listTabOf(request.params.listTab)
    if (!tab) throw new HttpProblem(404, 'There is no such list.')
    return list(request, reply, tab, clock())
  })
  listActs(app)
}

async function list(
  request: FastifyRequest,
  reply: FastifyReply,
  tab: ListTab,
  now: Date,
): Promise<FastifyReply> {
  const query = queryOf(request),
    api = apiOf(request)
  // A form without scripts also sends the fields in which nothing was chosen.
  if (formFields.some(name => query.get(name) === ''))
    return seeOther(
      request,
      reply,
      without(
        request.url,
        formFields.filter(name => query.get(name) === ''),
      ),
    )
  const state = listStateOf(tab, query)
  const { search, kind, goal, sort, descending, page: at } = state
  const listed = api.tests({
    query: {
      status: tab,
      page: at,
      perPage,
      sort,
      descending,
      ...(search && { search }),
      ...(kind && { kind }),
      ...(goal && { goal }),
    },
  })
  const [found, asked] = await Promise.all([listed, askedOfList(api, query, state, listed)])
  if (query.has('everywhere'))
    return seeOther(
      request,
      reply,
      listPath({ tab: listTabs.find(name => found.foundIn?.[name]) ?? tab, search, kind, goal }),
    )
  const pages = Math.ceil(found.count / perPage)
  // The page is beyond the end, after a deletion or because someone typed it. Show the first page.
  if (at > 0 && at >= pages) return seeOther(request, reply, without(request.url, ['page']))
  const store = storeOf(request),
    carried = carriedFrom(query)
  const html = renderedOnce(
    found,
    now,
    JSON.stringify([state, store.timeZone, store.isDemo, carried]),
    () => renderToString(h(TestsList, { state, list: found, store, now, carried })),
  )
  return page(
    request,
    reply,
    { figures: { revision: found.revision } },
    {
      html: `${await stopped(request, found.counts, state)}${winnersOff(found)}${html}${asked ? renderToString(asked) : ''}`,
    },
  )
}

/**
 * The card that offers to switch winners on again, after a reinstall; empty for every other store.
 */
function winnersOff({ scriptWinners }: Output<'tests'>): string {
  const winners = scriptWinners.filter(({ isOn }) => !isOn)
  return winners.length > 0 ? renderToString(h(WinnersOff, { winners })) : ''
}

/**
 * The notices of tests that the system has stopped since this browser last dismissed them; all of
 * them when it never has.
 */
async function stopped(
  request: FastifyRequest,
  counts: Output<'tests'>['counts'],
  state: ListState,
): Promise<string> {
  // Usually no test is stopped, and the API need not be asked.
  if (counts.OnHold + counts.Suspended === 0) return ''
  const away = putAway(request)
  const { onHold, suspended } = await stoppedSince(apiOf(request), lastSeen(request, 'told'))
  const attention = stoppedTests({
    onHold: onHold.tests,
    suspended: suspended.tests,
    fresh: new Set(),
  }).filter(each => !away.has(noticeKey(each)))
  if (attention.length === 0) return ''
  return renderToString(
    h(TestsStopped, {
      attention,
      timeZone: storeOf(request).timeZone,
      back: listPath(state),
      seen: { onHold: onHold.timestamp, suspended: suspended.timestamp },
    }),
  )
}

const formFields = ['search', 'kind', 'goal']

/** The address without these fields. */
function without(url: string, names: string[]): string {
  const [path, query] = url.split('?', 2) as [string, string | undefined]
  const rest = new URLSearchParams(query)
  for (const name of names) rest.delete(name)
  return rest.size > 0 ? `${path}?${rest}` : path
}
