import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { paths } from '../../domain/paths.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { isAdmin } from '../../domain/routes.ts'
import { pathOf } from '../http/query.ts'
import { staffApi, type StaffCookie } from './staff-session.ts'
import { admitStaff } from './staff-visit.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { UpstreamProblem } from '../upstream/upstream-problem.ts'

export type StaffAuth = { upstream: Upstream; cookie: StaffCookie }

/** Protects staff's panel: handlers of `app` run only for a member of staff who is signed in. */
export function staffGate(app: FastifyInstance, auth: StaffAuth): void {
  app.addHook('onRequest', async (request, reply) => {
    // Another spelling of the path would reach the same handler, but get the wrong headers, which
    // depend on the path.
    if (!isAdmin(pathOf(request)))
      throw new HttpProblem(404, 'The page may have been moved or deleted.')
    if (!(await enterStaff(request, reply, auth))) return sendToLogin(request, reply)
  })
}

/** Admits a member of staff. Returns false for anyone else. */
export async function enterStaff(
  request: FastifyRequest,
  reply: FastifyReply,
  { upstream, cookie }: StaffAuth,
): Promise<boolean> {
  const token = cookie.of(request)
  if (!token) return false
  const api = staffApi(upstream, token)
  try {
    const [user, menu] = await Promise.all([api.staffMe({}), api.staffMenu({})])
    admitStaff(request, { api, user, menu })
    return true
  } catch (error) {
    if (!(error instanceof UpstreamProblem) || ![401, 403].includes(error.status)) throw error
    // A 403 means that the password was right, and that signing in continues at /login.
    if (error.status === 403) return false
    cookie.clear(reply)
    return false
  }
}

/** Redirects to the sign-in, which leads back to the same page. What was posted is lost. */
export function sendToLogin(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const from = request.method === 'GET' && request.url.length <= 1024 ? request.url : paths.admin()
  const to = `${paths.login()}?${new URLSearchParams({ from })}`
  if (request.headers['hx-request']) return reply.header('hx-redirect', to).code(204).send()
  return reply.redirect(to, request.method === 'GET' ? 302 : 303)
}
