import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TestUpdate } from '../domain/ab-test.ts'
import type { Posted } from '../domain/draft-form.ts'
import { paths } from '../domain/paths.ts'
import { HttpProblem } from '../domain/problem.ts'
import { seeOther } from './page.ts'
import { report, type ReportRoute } from './reports.ts'
import { apiOf } from './visit.ts'

type Act = ReportRoute & { Body: Posted }

/** What a merchant does to a running test. A pause and an end are things one makes; a pause can be lifted. */
export function abTests(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  const change = (status: NonNullable<TestUpdate['status']>) => async (request: FastifyRequest<Act>, reply: FastifyReply) => {
    try {
      await apiOf(request).updateTest({ params: { id: request.params.id }, body: { status } })
    } catch (error) {
      // The test moved on since the page was drawn: show it as it is now, and say why nothing was done.
      if (error instanceof HttpProblem && error.status === 409) return report(request, reply.code(409), clock, { notice: { tone: 'bad', text: error.message } })
      throw error
    }
    return seeOther(request, reply, paths.report(request.params.id))
  }
  app.post<Act>(paths.pause(':id'), change('Paused'))
  app.delete<Act>(paths.pause(':id'), change('Active'))
  // What a form without scripts can send in place of the DELETE.
  app.post<Act>(paths.resume(':id'), change('Active'))
  app.post<Act>(paths.end(':id'), change('Ended'))

  app.post<Act>(paths.rename(':id'), async (request, reply) => {
    const typed = String(request.body.title ?? '')
    const title = typed.trim()
    const problem = !title ? 'Give the test a name.' : title.length > 120 ? `Keep it to 120 characters; these are ${title.length}.` : null
    if (problem) return report(request, reply.code(422), clock, { rename: { typed, problem } })
    await apiOf(request).updateTest({ params: { id: request.params.id }, body: { title } })
    return seeOther(request, reply, paths.report(request.params.id))
  })
}
