import { h, type JSX } from 'preact'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Api } from '../../domain/api/api-client.ts'
import { isNoticeKey } from '../../domain/tests/attention.ts'
import type { ListTab } from '../../domain/tests/ab-test.ts'
import type { Posted } from '../../domain/posted.ts'
import type { Output } from '../../domain/api/contract.ts'
import { paths } from '../../domain/paths.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { canMove, statusLabels, testStatuses } from '../../domain/tests/test-status.ts'
import { Confirm } from '../../views/confirm.tsx'
import { listPath, type ListState } from '../../views/list-links.tsx'
import { listAsks, RowActsDialog, rowId, type ListAsk } from '../../views/row-menu.tsx'
import {
  DeleteTest,
  EndAllTests,
  EndTest,
  PauseTest,
  StartTest,
} from '../../views/tests/test-dialogs.tsx'
import { lookOf, look, putAwayToo } from '../page/last-seen.ts'
import { chosenDialog, chosenTests } from './list-chosen.ts'
import { silentAct } from './ab-tests.ts'
import { backTo } from './list-state.ts'
import { seeOther } from '../page/page.ts'
import { isShopSilent } from '../upstream/api-outcomes.ts'
import { sharedFlights } from '../upstream/shared-flight.ts'
import { toast } from '../page/toasts.ts'
import { apiOf, storeOf } from '../session/visit.ts'

type Scope = 'all' | 'prices'
type Unfinished = { id: string; title: string; status: string }[]
type WithBody = { Body: Posted }
const perPage = 100

/** The list's acts: on several tests at once, on a draft from its row, and dismissing notices. */
export function listActs(app: FastifyInstance): void {
  chosenTests(app)
  app.post<WithBody>(paths.dismissChecklist(), async (request, reply) => {
    await apiOf(request).dismissChecklist({})
    return seeOther(request, reply, backTo(request.body.back) ?? paths.home())
  })

  const copying = sharedFlights<string>()
  app.post<{ Params: { id: string }; Body: Posted }>(
    paths.duplicateDraft(':id'),
    async (request, reply) => {
      const {
        params: { id },
        body,
      } = request
      try {
        const copy = await copying(
          `${storeOf(request).id} ${id}`,
          async () => (await apiOf(request).duplicateDraft({ params: { id } })).id,
        )
        return seeOther(request, reply, paths.draft(copy))
      } catch (error) {
        // The plan no longer includes this kind of test, or the shop refuses the copy or is silent.
        const isSilent = isShopSilent(error)
        if (
          !(error instanceof HttpProblem) ||
          !(isSilent || [403, 409, 422].includes(error.status))
        )
          throw error
        toast(request, reply, isSilent ? silentAct(error) : error.message, 'bad')
        return seeOther(request, reply, backTo(body.back) ?? paths.tests('Draft'))
      }
    },
  )

  app.post<WithBody>(paths.endAll(), async (request, reply) => {
    const { scope, ids, back: posted } = request.body
    if (scope !== 'all' && scope !== 'prices')
      throw new HttpProblem(400, 'Say which tests to end: all, or price tests.')
    const api = apiOf(request),
      back = backTo(posted) ?? paths.home()
    const unfinished = await unfinishedOf(api, scope)
    // Only tests that the dialog named may end, so ask again when there are others now. It does not
    // matter when some have ended meanwhile.
    const named = new Set(String(ids ?? '').split(' '))
    if (unfinished.some(({ id }) => !named.has(id)))
      return seeOther(
        request,
        reply,
        withAsk(back, scope === 'all' ? 'end-all' : 'end-prices', 'changed'),
      )
    const { ended } = await api.endAllTests({ body: { priceTestsOnly: scope === 'prices' } })
    toast(
      request,
      reply,
      ended.length === 0
        ? 'No test was left to end.'
        : ended.length === 1
          ? 'One test has ended. Everyone sees the control.'
          : `${ended.length} tests have ended. Everyone sees the control.`,
    )
    return seeOther(request, reply, back)
  })

  app.post<WithBody>(
    paths.seenStopped(),
    (request: FastifyRequest<WithBody>, reply: FastifyReply) => {
      const { notice, back } = request.body
      if (typeof notice === 'string') {
        if (!isNoticeKey(notice))
          throw new HttpProblem(400, 'This is no notice of the list.', [
            { field: 'notice', message: 'This is no notice of the list.' },
          ])
        putAwayToo(request, reply, notice)
        return seeOther(request, reply, backTo(back) ?? paths.home())
      }
      const seen = lookOf(request.body)
      if (!seen) throw new HttpProblem(400, 'Up to when they were read is missing.')
      look(request, reply, 'told', seen)
      return seeOther(request, reply, backTo(back) ?? paths.home())
    },
  )
}

/**
 * The dialog that a link asks a list for with `?ask=`. Null without one, and when its test is gone.
 */
export async function askedOfList(
  api: Api,
  query: URLSearchParams,
  state: ListState,
  found: Promise<Output<'tests'>>,
): Promise<JSX.Element | null> {
  const ask = listAsks.find(name => name === query.get('ask')),
    id = query.get('test') ?? '',
    back = listPath(state)
  if (!ask) return null
  if (ask === 'end-all' || ask === 'end-prices') {
    const scope = ask === 'end-all' ? 'all' : 'prices'
    return h(EndAllTests, {
      scope,
      tests: await unfinishedOf(api, scope),
      back,
      isChanged: query.has('changed'),
    })
  }
  if (ask === 'end-chosen' || ask === 'delete-chosen' || ask === 'delete-drafts')
    return chosenDialog(query, ask, await found, back)
  if (!/^[\w-]{1,64}$/.test(id)) return null
  if (ask === 'acts') return rowActs(state, await found, id)
  try {
    const row = `${back}#${rowId(id)}`
    return ask === 'delete-draft'
      ? await deleteDraft(api, id, row)
      : await oneTest(api, ask, id, row)
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 404) return null
    throw error
  }
}

/**
 * The menu of a row, for browsers without scripts. Null when the row is not on this page any more.
 */
function rowActs(
  state: ListState,
  { tests, drafts }: Output<'tests'>,
  id: string,
): JSX.Element | null {
  const row = [...tests, ...drafts].find(each => each.id === id)
  return row ? h(RowActsDialog, { state, id, title: row.title.trim() || 'Untitled draft' }) : null
}

const dialogs = {
  pause: [PauseTest, 'Paused'],
  start: [StartTest, 'Active'],
  end: [EndTest, 'Ended'],
  delete: [DeleteTest, null],
} as const
async function oneTest(
  api: Api,
  ask: keyof typeof dialogs,
  id: string,
  back: string,
): Promise<JSX.Element | null> {
  const test = await api.test({ params: { id } })
  const [Dialog, to] = dialogs[ask]
  // The test's status has changed. Its row shows the new one.
  if (
    (to && !canMove('merchant', test.status, to)) ||
    (ask === 'start' && test.status !== 'Scheduled')
  )
    return null
  return h(Dialog, { test, back, isOpen: true })
}

async function deleteDraft(api: Api, id: string, closed: string): Promise<JSX.Element> {
  const { title } = await api.draft({ params: { id } })
  return h(Confirm, {
    id: 'delete-draft',
    title: `Delete ${title.trim() || 'this draft'}?`,
    action: paths.deleteDraft(id),
    closed,
    act: 'Delete draft',
    keep: 'Keep it',
    isOpen: true,
    children: 'This deletes the draft, its settings, and what was made for it in the shop.',
  })
}

/** Every test that can be ended, with the label of its status. */
async function unfinishedOf(api: Api, scope: Scope): Promise<Unfinished> {
  const of = async (status: ListTab): Promise<Unfinished> => {
    const found: Unfinished = []
    for (let page = 0; ; page++) {
      const { tests, count } = await api.tests({
        query: { status, page, perPage, sort: 'title', descending: false },
      })
      found.push(
        ...tests
          .filter(({ kind }) => scope === 'all' || kind === 'Price')
          .map(test => ({ id: test.id, title: test.title, status: statusLabels[test.status] })),
      )
      if ((page + 1) * perPage >= count) return found
    }
  }
  return (await Promise.all(testStatuses.filter(status => status !== 'Ended').map(of))).flat()
}

const withAsk = (path: string, ask: ListAsk, more: string) =>
  `${path}${path.includes('?') ? '&' : '?'}ask=${ask}&${more}`
