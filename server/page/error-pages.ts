import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyServerOptions,
} from 'fastify'
import { h } from 'preact'
import { paths } from '../../domain/paths.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { isAdmin } from '../../domain/routes.ts'
import { shopName } from '../../domain/startup.ts'
import { ErrorNotice } from '../../views/error.tsx'
import { placeOf } from './frame.ts'
import { type Auth, leave, signInAgain, uninstalledSince, visitOf } from '../session/gate.ts'
import { ownPath } from '../../domain/stores/own-address.ts'
import { barePage, page } from './page.ts'
import { carriedFrom, carriedTo, pathOf, queryOf } from '../http/query.ts'
import { setCommonHeaders } from '../http/security.ts'
import { enterStaff, sendToLogin, type StaffAuth } from '../staff/staff-gate.ts'
import { staffPage } from '../staff/staff-page.ts'
import { isStaffAdmitted } from '../staff/staff-visit.ts'
import { UpstreamProblem } from '../upstream/upstream-problem.ts'
import { admit, apiOf, isAdmitted, shellOf, storeOf } from '../session/visit.ts'

/**
 * Shows every error as a page, inside the shell when the request was admitted. Details of internal
 * errors go only to the log, under the uuid that the page shows.
 */
export function errorPages(app: FastifyInstance, auth: Auth, staffAuth: StaffAuth): void {
  app.setErrorHandler(async (error: FastifyError | HttpProblem, request, reply) => {
    const status = error instanceof HttpProblem ? error.status : (error.statusCode ?? 500)
    if (status >= 500)
      request.log.error(
        {
          err: error,
          upstreamUuid: error instanceof UpstreamProblem ? error.upstreamUuid : undefined,
        },
        'request failed',
      )
    // The session ended between two calls: sign in, then show the same page again. After an
    // uninstall nobody can sign in, so show the page for that.
    if (error instanceof UpstreamProblem && status === 401 && isAdmitted(request)) {
      const { id, shop } = storeOf(request)
      return leave(
        request,
        reply,
        (await uninstalledSince(apiOf(request), id))
          ? carriedTo(request, paths.uninstalled(shopName(shop)))
          : signInAgain(request, auth.origin),
      )
    }
    if (error instanceof UpstreamProblem && status === 401 && isStaffAdmitted(request))
      return sendToLogin(request, reply)
    if (!isAdmitted(request))
      await auth.addresses.learn(request, {
        isApiDown: error instanceof UpstreamProblem && status >= 500,
      })
    return show(request, reply, status, error instanceof HttpProblem ? error.message : null)
  })
  app.setNotFoundHandler(async (request, reply) => {
    // Guests are sent to sign in for every staff page, so they cannot tell which exist.
    if (isAdmin(pathOf(request)))
      return (await enterStaff(request, reply, staffAuth))
        ? show(request, reply, 404, null)
        : sendToLogin(request, reply)
    // A merchant who is signed in sees the 404 inside the shell, whatever state the store is in.
    // Nobody has to sign in for a page that does not exist.
    const visit = await visitOf(request, reply, auth).catch((error: unknown) => {
      request.log.warn({ err: error }, 'no shell for a page that is not there')
      return null
    })
    if (visit !== null && typeof visit !== 'string') admit(request, visit)
    else await auth.addresses.learn(request, { isApiDown: visit === null })
    return show(request, reply, 404, null)
  })
}

/**
 * Refuses paths with a NUL (400): no page has one, and the database cannot search for one. The API
 * checks forms, and names their fields.
 */
export function plainPaths(app: FastifyInstance): void {
  app.addHook('onRequest', async request => {
    if (/%00|\0/.test(pathOf(request)))
      throw new HttpProblem(400, 'This address contains a character that is not allowed.')
  })
}

/**
 * Answers 400 for an address that Fastify cannot read. No hook has run for it, so this sets the
 * common headers.
 */
export function unreadable(origin: string): NonNullable<FastifyServerOptions['frameworkErrors']> {
  return (_, request, reply) => {
    setCommonHeaders(reply, origin)
    show(request, reply, 400, null)
  }
}

function show(
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  message: string | null,
): FastifyReply {
  const retry = request.method === 'GET' && status >= 429 ? ownPath(request.url) : null
  const isStaff = isStaffAdmitted(request)
  const home = isAdmitted(request) ? (placeOf(shellOf(request)) ?? paths.home()) : null
  const asked = status === 404 ? pathOf(request) : null,
    search = home === paths.home() ? carriedFrom(queryOf(request)) : null
  const notice = h(ErrorNotice, {
    status,
    message,
    retry,
    uuid: status >= 500 ? request.id : null,
    home,
    asked,
    search,
    isStaff,
  })
  reply.code(status)
  if (isStaff) return staffPage(request, reply, { title: 'Not shown' }, notice)
  return isAdmitted(request)
    ? page(request, reply, { title: 'Not shown', route: 'error' }, notice)
    : barePage(request, reply, { title: 'Not shown', route: 'error' }, notice)
}
