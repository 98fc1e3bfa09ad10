import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { paths } from '../domain/paths.ts'
import { startupRedirect } from '../domain/startup.ts'
import type { ApiSession, ShellData } from './api-session.ts'
import type { CookieJar, SessionCookies } from './cookies.ts'
import { carriedFrom, queryOf, shopOf, withQuery } from './query.ts'
import type { Session } from './session.ts'
import { UpstreamProblem } from './upstream-problem.ts'
import { admit } from './visit.ts'

export type Door = {
  jar: CookieJar
  session: (cookies: SessionCookies, address: string) => Promise<Session | null>
  apiSession: (token: string) => ApiSession
  signIn: (request: FastifyRequest, reply: FastifyReply, idToken: string) => Promise<FastifyReply>
  clock: () => Date
}

/** Marks the way back from signing in, with its moment: a browser that comes without a session right then keeps no cookies. */
export const signedIn = 'signed_in'
const wayBack = 60_000

/** The life of a request to a merchant's page: sign-in, session, shell data, gate. No handler of `app` runs before the gate spoke. */
export function gate(app: FastifyInstance, door: Door): void {
  app.addHook('onRequest', async (request, reply) => {
    const query = queryOf(request)
    const idToken = query.get('id_token')
    if (idToken && request.method === 'GET') return door.signIn(request, reply, idToken)
    const sentTo = await enter(request, reply, door)
    if (sentTo !== null) return leave(request, reply, sentTo)
  })
}

/** Makes the visit of a request, or names the place it has to go to. */
export async function enter(request: FastifyRequest, reply: FastifyReply, { jar, session: sessionOf, apiSession, clock }: Omit<Door, 'signIn'>): Promise<string | null> {
  const query = queryOf(request)
  const cookies = jar.of(request, shopOf(query))
  const session = cookies && await sessionOf(cookies, request.ip)
  if (!session) return signInPath(request, query, clock())
  if (session.renewed) jar.set(reply, session.renewed)
  const { api, shell } = apiSession(session.token)
  let data: ShellData
  try {
    data = await shell()
  } catch (error) {
    if (error instanceof UpstreamProblem && error.status === 401) return paths.authMissing()
    throw error
  }
  const path = pathOf(request)
  const redirect = startupRedirect({ ...data, path })
  if (redirect) return withQuery(redirect.to, { ...carriedFrom(query), from: request.url })
  admit(request, { api, shell: data })
  return null
}

/** Signed in by the shop's admin, and back to the same page; unless that has just been tried. */
function signInPath(request: FastifyRequest, query: URLSearchParams, now: Date): string {
  const keepsNoCookies = Math.abs(now.getTime() - Number(query.get(signedIn) ?? NaN)) < wayBack
  if (keepsNoCookies) return withQuery(paths.authMissing(), carriedFrom(query))
  // What was posted is lost on the way; the page it came from is not.
  return withQuery(paths.auth(), { ...carriedFrom(query), from: request.method === 'GET' ? request.url : paths.home() })
}

export const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0]!

/** Another page of the app. htmx fetches its parts itself and cannot be sent to another site by a plain redirect. */
function leave(request: FastifyRequest, reply: FastifyReply, to: string): FastifyReply {
  if (request.headers['hx-request']) return reply.header('hx-redirect', to).code(204).send()
  return reply.redirect(to, request.method === 'GET' ? 302 : 303)
}
