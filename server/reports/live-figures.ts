import type { FastifyInstance } from 'fastify'
import { paths } from '../../domain/paths.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Auth } from '../session/gate.ts'
import { queryOf, shopOf } from '../http/query.ts'
import { neverKept } from '../http/security.ts'

/**
 * What open pages ask every few seconds: the revision of their figures, as text. It is one small call of the API and
 * nothing else, since a page that stands open has passed the gate already; its content has to pass it again.
 */
export function liveFigures(
  app: FastifyInstance,
  { jar, session: sessionOf, apiSession }: Auth,
): void {
  app.get(paths.figures(), async (request, reply) => {
    const query = queryOf(request),
      test = query.get('test')
    neverKept(reply).type('text/plain; charset=utf-8')
    if (test !== null && !/^[\w-]{1,64}$/.test(test)) return reply.code(400).send('')
    const cookies = jar.of(request, shopOf(query))
    const session = cookies && (await sessionOf(cookies, request.ip))
    if (!session) return reply.code(401).send('')
    if (session.renewed) jar.set(reply, session.renewed)
    try {
      const { revision } = await apiSession(session.token).api.figuresRevision({
        query: test === null ? {} : { test },
      })
      return reply.send(revision)
    } catch (error) {
      // No page is drawn for a script; it asks again, or stops.
      if (error instanceof HttpProblem) return reply.code(error.status).send('')
      throw error
    }
  })
}
