import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { formatDate } from '../../domain/figures.ts'
import { networkDone, networkGone } from '../../domain/events/network.ts'
import { paths } from '../../domain/paths.ts'
import { type FieldProblem, HttpProblem } from '../../domain/problem.ts'
import { routeNamed } from '../../domain/routes.ts'
import { scriptStandings } from '../../domain/staff/staff-health.ts'
import {
  extensionDays,
  trialEndsWithin,
  trialLevels,
  trialSorts,
} from '../../domain/staff/staff-stores.ts'
import type { RecountAsked } from '../../views/staff/store-figures.tsx'
import { TrialPage } from '../../views/staff/admin-trial.tsx'
import { Trials } from '../../views/staff/admin-trials.tsx'
import {
  beyondTheEnd,
  fieldText,
  listAsked,
  listState,
  type PostedWithId,
  refusedFields,
} from './admin-list.ts'
import { queryOf } from '../http/query.ts'
import { seeOther } from '../page/page.ts'
import { staffPage } from './staff-page.ts'
import { staffApiOf } from './staff-visit.ts'
import { toast } from '../page/toasts.ts'

const trialPath = routeNamed('admin-trial').path

/** Stores on trial, and the page of one store, whether it is on trial or not. */
export function adminTrials(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  app.get(paths.admin('stores/trials'), async (request, reply) => {
    const state = listState(request, {
      sorts: trialSorts,
      usual: { sort: 'trialEnd', descending: false },
      filters: {
        endsWithin: trialEndsWithin.map(String),
        level: trialLevels,
        script: scriptStandings,
      },
    })
    const { endsWithin, level, script } = state.filters
    const found = await staffApiOf(request).adminTrials({
      query: {
        ...listAsked(state),
        ...(endsWithin && { endsWithin: Number(endsWithin) }),
        ...(level && { level: trialLevels.find(name => name === level)! }),
        ...(script && { script: scriptStandings.find(name => name === script)! }),
      },
    })
    return (
      beyondTheEnd(request, reply, state, found.count) ??
      staffPage(request, reply, {}, h(Trials, { state, ...found, now: clock() }))
    )
  })

  app.get<PostedWithId>(trialPath, (request, reply) => show(request, reply, clock(), '7', []))

  app.post<PostedWithId>(`${trialPath}/networks`, async (request, reply) => {
    const isCounted = fieldText(request.body, 'counted') === 'yes'
    const done = await staffApiOf(request).chooseStoreNetwork({
      params: request.params,
      body: { network: fieldText(request.body, 'network').slice(0, 40), isCounted },
    })
    toast(request, reply, done ? networkDone(isCounted) : networkGone)
    return seeOther(request, reply, paths.admin('stores/trials', request.params.id))
  })

  app.post<PostedWithId>(`${trialPath}/recount`, async (request, reply) => {
    const test = fieldText(request.body, 'test').slice(0, 64)
    try {
      await staffApiOf(request).recount({
        params: request.params,
        body: test === '' ? {} : { testId: test },
      })
      toast(request, reply, 'The figures are being counted again.')
    } catch (error) {
      if (!(error instanceof HttpProblem) || ![409, 429].includes(error.status)) throw error
      toast(request, reply, error.message, 'bad')
    }
    return seeOther(request, reply, paths.admin('stores/trials', request.params.id))
  })

  app.post<PostedWithId>(trialPath, async (request, reply) => {
    const typed = fieldText(request.body, 'days').trim(),
      days = Number(typed)
    if (!/^\d+$/.test(typed) || days < extensionDays.least || days > extensionDays.most)
      return show(request, reply.code(422), clock(), typed, [
        {
          field: 'days',
          message: `Enter whole days, from ${extensionDays.least} to ${extensionDays.most}.`,
        },
      ])
    try {
      const trial = await staffApiOf(request).extendTrial({
        params: request.params,
        body: { days, trialEnd: fieldText(request.body, 'trialEnd').slice(0, 40) },
      })
      toast(
        request,
        reply,
        `The trial of ${trial.name} ends on ${formatDate(trial.trialEnd!, 'UTC')}.`,
      )
      return seeOther(request, reply, paths.admin('stores/trials', request.params.id))
    } catch (error) {
      return show(request, reply.code(422), clock(), typed, refusedFields(error))
    }
  })
}

/** The recount that a link asks to confirm. */
function recountAsked(request: FastifyRequest): RecountAsked {
  const query = queryOf(request)
  return request.method === 'GET' && query.get('ask') === 'recount'
    ? { test: query.get('test') }
    : null
}

/** Sends a store's page. After a refused form it has what was typed and its problems. */
async function show(
  request: FastifyRequest<PostedWithId>,
  reply: FastifyReply,
  now: Date,
  days: string,
  problems: FieldProblem[],
): Promise<FastifyReply> {
  const store = await staffApiOf(request).adminStore({ params: request.params })
  return staffPage(
    request,
    reply,
    { route: 'admin-trial', title: store.trial.name },
    h(TrialPage, { store, days, problems, recount: recountAsked(request), now }),
  )
}
