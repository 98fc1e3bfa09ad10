import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import type { Test } from '../../domain/tests/ab-test.ts'
import type { Metric } from '../../domain/reports/metric.ts'
import { paths } from '../../domain/paths.ts'
import type { Overview } from '../../views/reports/report-links.ts'
import { orderWindowWords } from '../../domain/platform/order-window.ts'
import { closedFor } from '../../domain/tests/test-closed.ts'
import { isOpen } from '../session/access.ts'
import { ReportPage, type ReportProps } from '../../views/reports/report-page.tsx'
import { page } from '../page/page.ts'
import { carriedFrom, queryOf } from '../http/query.ts'
import { askedOf } from './report-asks.ts'
import { chosenIn } from './report-tab-state.ts'
import { apiOf, storeOf } from '../session/visit.ts'
import { isShopSilent, unanswered } from '../upstream/api-outcomes.ts'

/** In place of a dialog that says what the shop has. */
const silent = (error: unknown) => ({
  notice: {
    tone: 'bad' as const,
    text: unanswered(
      error,
      'Your shop did not answer, so this cannot be asked for now. Try again in a minute.',
    ),
  },
})

export type ReportRoute = { Params: { id: string } }

export function reports(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  const show = async (request: FastifyRequest<ReportRoute>, reply: FastifyReply) => {
    const launched = queryOf(request).has('launched')
    return report(
      request,
      reply,
      clock,
      launched
        ? {
            notice: {
              tone: 'good',
              text: 'Test launched. Visitors to its pages see it from now on. The first figures appear seconds after the first visit.',
            },
          }
        : {},
    )
  }
  app.get<ReportRoute>(paths.report(':id'), show)
  app.get<ReportRoute>(paths.report(':id', 'overview'), show)
}

/**
 * Sends the overview of a report. `extra` is the result of an act on it. Invalid values in the
 * address count as the defaults.
 */
export async function report(
  request: FastifyRequest<ReportRoute>,
  reply: FastifyReply,
  clock: () => Date,
  extra: Pick<ReportProps, 'notice' | 'dialog'> = {},
) {
  const { id } = request.params
  const api = apiOf(request),
    query = queryOf(request),
    carried = carriedFrom(query),
    store = storeOf(request)
  const { goal, metric, ...filters } = chosenIn(query).chosen
  const dailyOf = (wanted: Metric) => api.dailyBy({ params: { id, metric: wanted } })
  const testing = api.test({ params: { id } })
  // The primary goal is known only with the test. The figures of a goal in the address need not
  // wait for the test.
  const shownOf = (test: Test): Overview => ({
    goal: goal ?? test.goal,
    metric: metric === (goal ?? test.goal) ? null : metric,
    filters,
  })
  const going = goal ?? testing.then(test => test.goal)
  const running = Promise.resolve(going).then(dailyOf)
  const daily =
    metric === null
      ? running
      : Promise.resolve(going).then(shown => (shown === metric ? running : dailyOf(metric)))
  // The date in UTC, as the engine stores dates.
  const today = clock().toISOString().slice(0, 10)
  const showsTypes = isOpen(request, 'SubscriptionReporting')
  const asking = extra.dialog
    ? null
    : testing
        .then(test =>
          askedOf({ api, test, query, today, store, carried, showsTypes, shown: shownOf(test) }),
        )
        .catch((error: unknown) => {
          if (isShopSilent(error)) return silent(error)
          throw error
        })
  const [test, can, shownDaily, runningDaily, asked] = await Promise.all([
    testing,
    api.storeCapabilities({}),
    daily,
    running,
    asking,
  ])
  return page(
    request,
    reply,
    { title: test.title, route: 'report', figures: { revision: test.revision, test: id } },
    h(ReportPage, {
      test,
      daily: shownDaily,
      running: runningDaily,
      shown: shownOf(test),
      store,
      now: clock(),
      closed: closedFor(test, capability => isOpen(request, capability)),
      showsTypes,
      orderWindow: test.startAt ? orderWindowWords(can, new Date(test.startAt), clock()) : null,
      carried,
      ...(asked && ('notice' in asked ? asked : { dialog: asked })),
      ...extra,
    }),
  )
}
