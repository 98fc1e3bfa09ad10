import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { goalNames, goals, type Goal } from '../domain/goal.ts'
import { paths } from '../domain/paths.ts'
import { ReportPage, type ReportProps } from '../views/report-page.tsx'
import { page } from './page.ts'
import { askedOf } from './report-asks.ts'
import { apiOf, storeOf } from './visit.ts'

export type ReportRoute = { Params: { id: string }; Querystring: { goal?: string; launched?: string; ask?: string } }

export function reports(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  const show = async (request: FastifyRequest<ReportRoute>, reply: FastifyReply) => {
    const launched = request.query.launched !== undefined
    return report(request, reply, clock, launched ? { notice: { tone: 'good', text: 'Test launched. Visitors of its pages meet it from now on; the first figures come in within seconds of the first visit.' } } : {})
  }
  app.get<ReportRoute>(paths.report(':id'), show)
  app.get<ReportRoute>(paths.report(':id', 'overview'), show)
}

/** The overview, with what an act on it came to. */
export async function report(request: FastifyRequest<ReportRoute>, reply: FastifyReply, clock: () => Date, extra: Pick<ReportProps, 'notice' | 'dialog'> = {}) {
  const { id } = request.params
  const api = apiOf(request)
  const wanted = goalNames.find(name => goals[name].short.toLowerCase() === request.query.goal)
  // The primary goal is known with the test alone; a goal asked for need not wait for it.
  const dailyOf = (metric: Goal) => api.dailyBy({ params: { id, metric } })
  const testing = api.test({ params: { id } })
  // As the engine dates what it keeps.
  const today = clock().toISOString().slice(0, 10)
  const asking = extra.dialog ? null : testing.then(found => askedOf(api, found, typeof request.query.ask === 'string' ? request.query.ask : null, today))
  const [test, daily, asked] = await Promise.all([testing, wanted ? dailyOf(wanted) : testing.then(t => dailyOf(t.goal)), asking])
  return page(request, reply, { title: test.title, route: 'report' }, h(ReportPage, { test, daily, goal: wanted ?? test.goal, store: storeOf(request), now: clock(), ...(asked && { dialog: asked }), ...extra }))
}
