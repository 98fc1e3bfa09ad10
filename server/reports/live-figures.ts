import type { FastifyInstance } from 'fastify'
import { paths } from '../../domain/paths.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Auth } from '../session/gate.ts'
import { queryOf, shopOf } from '../http/query.ts'
import { neverKept } from '../http/security.ts'

/**
 * The revision of a page's figures, as text. Open pages ask for it every few seconds, so it is one
 * small call of the API and does not go through the gate: an open page has passed it already, and
 * its new content must pass it again.
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
    try {
      const session = cookies && (await sessionOf(cookies, request.ip))
      if (!session) return reply.code(401).send('')
      if (session.renewed) jar.set(reply, session.renewed)
      const { revision } = await apiSession(session.token).api.figuresRevision({
        query: test === null ? {} : { test },
      })
      return reply.send(revision)
    } catch (error) {
      // A script asked, so no error page is sent. It asks again, or stops.
      if (error instanceof HttpProblem) return reply.code(error.status).send('')
      throw error
    }
  })
}
