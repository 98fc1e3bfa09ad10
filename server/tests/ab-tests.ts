import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import type { TestUpdate } from '../../domain/tests/ab-test.ts'
import type { Posted } from '../../domain/posted.ts'
import { paths } from '../../domain/paths.ts'
import { HttpProblem, type FieldProblem } from '../../domain/problem.ts'
import { statusLabels } from '../../domain/tests/test-status.ts'
import { detailNames, TestDetails, type TestDetailsForm } from '../../views/tests/test-details.tsx'
import { backTo } from './list-state.ts'
import { seeOther } from '../page/page.ts'
import { report, type ReportRoute } from '../reports/reports.ts'
import { toast } from '../page/toasts.ts'
import { apiOf } from '../session/visit.ts'
import { isShopSilent, unanswered } from '../upstream/api-outcomes.ts'

export type Act = ReportRoute & { Body: Posted }
type Status = NonNullable<TestUpdate['status']>

/**
 * The acts on a launched test: pause, resume, start, end and rename. A POST makes a pause, and a
 * DELETE lifts it.
 */
export function abTests(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  const change =
    (status: Status, done: string) => async (request: FastifyRequest<Act>, reply: FastifyReply) => {
      const {
        params: { id },
        body,
      } = request
      try {
        const test = await apiOf(request).updateTest({ params: { id }, body: { status } })
        // When a merchant starts a test that has a problem, it is put on hold instead. Its report
        // says why.
        if (test.status === status) toast(request, reply, `“${test.title}” ${done}`)
        else
          toast(
            request,
            reply,
            `“${test.title}” is ${statusLabels[test.status].toLowerCase()}: ${test.holdCause?.message ?? 'its report says why.'}`,
            'bad',
          )
      } catch (error) {
        return refused(request, reply, clock, error, status)
      }
      return seeOther(request, reply, backTo(body.back) ?? paths.report(id))
    }
  app.post<Act>(paths.pause(':id'), change('Paused', 'is paused. Everyone sees the control.'))
  app.delete<Act>(paths.pause(':id'), change('Active', 'runs again.'))
  // A form without scripts sends this instead of the DELETE.
  app.post<Act>(paths.resume(':id'), change('Active', 'runs.'))
  app.post<Act>(paths.end(':id'), change('Ended', 'has ended. Everyone sees the control.'))

  app.post<Act>(paths.rename(':id'), async (request, reply) => {
    const {
      params: { id },
      body,
    } = request
    const given = Object.fromEntries(
      detailNames.flatMap(name =>
        typeof body[name] === 'string' ? [[name, body[name].replace(/\r\n/g, '\n').trim()]] : [],
      ),
    ) as Partial<TestDetailsForm>
    const problems = detailProblems(given)
    if (problems.length > 0) {
      const test = await apiOf(request).test({ params: { id } })
      const typed = {
        ...test,
        ...given,
        ...Object.fromEntries(problems.map(({ field }) => [field, body[field]])),
      } as TestDetailsForm
      return report(request, reply.code(422), clock, {
        dialog: { name: 'details', view: h(TestDetails, { test, typed, problems }) },
      })
    }
    await apiOf(request).updateTest({ params: { id }, body: given })
    return seeOther(request, reply, paths.report(id))
  })
}

/** What an act says for which the shop did not answer. */
export const silentAct = (error: unknown): string =>
  unanswered(
    error,
    'Your shop did not answer, so what you asked for may not be done. Try again in a minute.',
    'Until then, what you asked for may not be done.',
  )

/**
 * Answers an act that the engine refused (409 or 422), because the test has changed since the page
 * was shown, or for which the shop did not answer: gives the reason where the act began. It is no
 * error when the test already has the `wanted` status. Throws every other error.
 */
export async function refused(
  request: FastifyRequest<Act>,
  reply: FastifyReply,
  clock: () => Date,
  error: unknown,
  wanted?: Status,
): Promise<FastifyReply> {
  const isSilent = isShopSilent(error)
  if (!(error instanceof HttpProblem) || !(isSilent || [409, 422].includes(error.status)))
    throw error
  const text = isSilent ? silentAct(error) : error.message
  const {
    params: { id },
    body,
  } = request
  const back = backTo(body.back)
  if (wanted && (await apiOf(request).test({ params: { id } })).status === wanted)
    return seeOther(request, reply, back ?? paths.report(id))
  if (!back)
    return report(request, reply.code(isSilent ? 422 : error.status), clock, {
      notice: { tone: 'bad', text },
    })
  toast(request, reply, text, 'bad')
  return seeOther(request, reply, back)
}

const lengths: Record<keyof TestDetailsForm, number> = {
  title: 120,
  hypothesisDescription: 2000,
  controlTitle: 120,
  variantTitle: 120,
}
function detailProblems(given: Partial<TestDetailsForm>): FieldProblem[] {
  return detailNames.flatMap(name => {
    const text = given[name]
    if (name === 'title' && text === '') return [{ field: name, message: 'Give the test a name.' }]
    return text && text.length > lengths[name]
      ? [
          {
            field: name,
            message: `Keep it to ${lengths[name]} characters; these are ${text.length}.`,
          },
        ]
      : []
  })
}
