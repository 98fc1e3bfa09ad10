import type { FastifyInstance } from 'fastify'
import { h, type JSX } from 'preact'
import type { Api } from '../../domain/api/api-client.ts'
import type { Output } from '../../domain/api/contract.ts'
import type { Posted } from '../../domain/posted.ts'
import {
  type ChosenAct,
  chosenActs,
  chosenOutcome,
  type Refused,
} from '../../domain/tests/list-chosen.ts'
import { paths } from '../../domain/paths.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { canMove, statusLabels } from '../../domain/tests/test-status.ts'
import type { ListAsk } from '../../views/row-menu.tsx'
import { ChosenTests } from '../../views/tests/test-dialogs.tsx'
import { backTo } from './list-state.ts'
import { seeOther } from '../page/page.ts'
import { toast } from '../page/toasts.ts'
import { apiOf } from '../session/visit.ts'

const asks: Partial<Record<ListAsk, ChosenAct>> = {
  'end-chosen': 'end',
  'delete-chosen': 'delete',
  'delete-drafts': 'delete-drafts',
}
/** The most rows in one request. */
const most = 100
const isId = (id: string): boolean => /^[\w-]{1,64}$/.test(id)

/**
 * Ends or deletes the rows chosen in the list, one after the other. A refusal does not stop the
 * others.
 */
export function chosenTests(app: FastifyInstance): void {
  for (const act of chosenActs)
    app.post<{ Body: Posted }>(paths.chosen(act), async (request, reply) => {
      const { ids: posted, back } = request.body
      const ids = [...new Set(String(posted ?? '').split(' '))].filter(Boolean)
      if (ids.length === 0 || ids.length > most || !ids.every(isId))
        throw new HttpProblem(400, `Choose 1 to ${most} rows of the list.`)
      const refused: Refused[] = []
      for (const id of ids) {
        const found = await refusalOf(apiOf(request), act, id)
        if (found) refused.push(found)
      }
      toast(
        request,
        reply,
        chosenOutcome(act, ids.length - refused.length, refused),
        refused.length > 0 ? 'bad' : 'good',
      )
      return seeOther(request, reply, backTo(back) ?? paths.home())
    })
}

/** Acts on one row. Returns the refusal, or null when the act is done now or was done before. */
async function refusalOf(api: Api, act: ChosenAct, id: string): Promise<Refused | null> {
  const params = { id }
  try {
    if (act === 'end') await api.updateTest({ params, body: { status: 'Ended' } })
    else if (act === 'delete') await api.deleteTest({ params })
    else await api.deleteDraft({ params })
    return null
  } catch (error) {
    if (!(error instanceof HttpProblem) || error.status >= 500 || error.status === 401) throw error
    // The first request of a double click has deleted it.
    if (error.status === 404) return null
    const test = act === 'delete-drafts' ? await api.draft({ params }) : await api.test({ params })
    return act === 'end' && 'status' in test && test.status === 'Ended'
      ? null
      : { title: test.title.trim() || 'Untitled draft', message: error.message }
  }
}

/**
 * The dialog that names the ticked rows. Null when none of them is on this page of the list any
 * more.
 */
export function chosenDialog(
  query: URLSearchParams,
  ask: ListAsk,
  { tests, drafts }: Output<'tests'>,
  back: string,
): JSX.Element | null {
  const act = asks[ask]
  if (!act) return null
  const ids = new Set(query.getAll('test'))
  const chosen =
    act === 'delete-drafts'
      ? drafts
          .filter(({ id }) => ids.has(id))
          .map(({ id, title }) => ({
            id,
            title: title.trim() || 'Untitled draft',
            status: 'Draft',
          }))
      : tests
          .filter(
            ({ id, status }) =>
              ids.has(id) &&
              (act === 'delete' ? status !== 'Active' : canMove('merchant', status, 'Ended')),
          )
          .map(({ id, title, status }) => ({ id, title, status: statusLabels[status] }))
  return chosen.length > 0 ? h(ChosenTests, { act, tests: chosen, back }) : null
}
