import type { FastifyInstance } from 'fastify'
import { h } from 'preact'
import type { Api } from '../../domain/api/api-client.ts'
import type { LiftAssists } from '../../domain/lift-assist/lift-assist.ts'
import type { Posted } from '../../domain/posted.ts'
import { paths } from '../../domain/paths.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { LiftAssist } from '../../views/lift-assist/lift-assist.tsx'
import { isOpen } from '../session/access.ts'
import { queryOf } from '../http/query.ts'
import { page, seeOther } from '../page/page.ts'
import { track } from '../events/usage-events.ts'
import { apiOf, storeOf } from '../session/visit.ts'

/** The most ended tests that are listed below the proposals. */
const learntFrom = 100
/** Maximum length of a search, as the call has it. */
const maxSearch = 200

export function liftAssist(app: FastifyInstance): void {
  app.get(paths.recommendations(), async (request, reply) => {
    const api = apiOf(request),
      hasAssist = isOpen(request, 'LiftAssists'),
      search = searchOf(queryOf(request).get('search'))
    const [proposals, ended] = hasAssist
      ? await Promise.all([
          proposalsOf(api, search),
          api
            .tests({
              query: { status: 'Ended', perPage: learntFrom, sort: 'lift', descending: true },
            })
            .then(({ tests }) => tests),
        ])
      : [null, []]
    return page(
      request,
      reply,
      {},
      h(LiftAssist, {
        isOpen: hasAssist,
        search,
        proposals,
        ended,
        timeZone: storeOf(request).timeZone,
      }),
    )
  })

  // Makes a draft from a proposal. Opens the draft that the proposal already has, if there is one.
  app.post<{ Body: Posted }>(paths.recommendations(), async (request, reply) => {
    const api = apiOf(request)
    // With the same search: it may have found proposals that a list without one has no room for.
    const query = { query: searchOf(request.body.search) }
    const assist = (await api.liftAssists({ query })).assists.find(
      ({ id }) => id === request.body.assist,
    )
    if (!assist) return seeOther(request, reply, paths.recommendations())
    if (assist.draftId) return seeOther(request, reply, paths.draft(assist.draftId))
    const draft = await api.createDraft({ body: assist.draft })
    track(request, 'Test Creation Started', { draftId: draft.id, kind: draft.kind })
    return seeOther(request, reply, paths.draft(draft.id))
  })
}

const searchOf = (typed: unknown): string =>
  typeof typed === 'string' ? typed.slice(0, maxSearch).trim() : ''

/**
 * The proposals; null when the plan does not include them. When the shop does not answer, none and
 * the reason: the page still shows the ended tests.
 */
async function proposalsOf(api: Api, search: string): Promise<LiftAssists | null> {
  try {
    return await api.liftAssists({ query: { query: search } })
  } catch (error) {
    // The plan has changed since this session read it.
    if (error instanceof HttpProblem && error.status === 403) return null
    if (!(error instanceof HttpProblem) || error.status < 500) throw error
    return {
      assists: [],
      reason:
        'Your shop does not answer just now, so its pages are not known. Reload this page in a minute.',
      from: null,
      to: null,
      days: 0,
    }
  }
}
