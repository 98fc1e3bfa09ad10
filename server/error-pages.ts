import { randomUUID } from 'node:crypto'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import { h } from 'preact'
import { paths } from '../domain/paths.ts'
import { HttpProblem } from '../domain/problem.ts'
import { ErrorNotice } from '../views/error.tsx'
import { enter, type Door } from './gate.ts'
import { barePage, page } from './page.ts'
import { carriedFrom, queryOf, withQuery } from './query.ts'
import { setCommonHeaders } from './security.ts'
import { UpstreamProblem } from './upstream-problem.ts'
import { isAdmitted } from './visit.ts'

export const newRequestId = (): string => randomUUID()

/** Every error as a page: in the shell when the visit got that far. What went wrong inside stays in the log, under the uuid that is shown. */
export function errorPages(app: FastifyInstance, door: Door): void {
  app.setErrorHandler((error: FastifyError | HttpProblem, request, reply) => {
    const status = error instanceof HttpProblem ? error.status : (error.statusCode ?? 500)
    if (status >= 500) request.log.error({ err: error, upstreamUuid: error instanceof UpstreamProblem ? error.upstreamUuid : undefined }, 'request failed')
    // The session ended between two calls: the same page again, after signing in.
    if (error instanceof UpstreamProblem && status === 401 && isAdmitted(request))
      return reply.redirect(withQuery(paths.auth(), { ...carriedFrom(queryOf(request)), from: request.method === 'GET' ? request.url : paths.home() }), 303)
    return show(request, reply, status, error instanceof HttpProblem ? error.message : null)
  })
  app.setNotFoundHandler(async (request, reply) => {
    // A merchant who is signed in keeps the shell around them; nobody is sent to sign in for a page that is not there.
    await enter(request, reply, door).catch((error: unknown) => request.log.warn({ err: error }, 'no shell for a page that is not there'))
    return show(request, reply, 404, null)
  })
}

/** An address that cannot even be read: no hook has run for it. */
export function unreadable(origin: string): NonNullable<FastifyServerOptions['frameworkErrors']> {
  return (_, request, reply) => {
    setCommonHeaders(reply, origin)
    show(request, reply, 400, null)
  }
}

function show(request: FastifyRequest, reply: FastifyReply, status: number, message: string | null): FastifyReply {
  const retry = request.method === 'GET' && status >= 429 ? request.url : null
  const notice = h(ErrorNotice, { status, message, retry, uuid: status >= 500 ? request.id : null, home: isAdmitted(request) })
  reply.code(status)
  return isAdmitted(request) ? page(request, reply, { title: 'Not shown', section: null }, notice) : barePage(request, reply, 'Not shown', notice)
}
