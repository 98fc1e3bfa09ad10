import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { askedPage, destination } from '../../domain/destination.ts'
import { paths } from '../../domain/paths.ts'
import { blockedNavigation } from '../../domain/navigation.ts'
import { isOverlay, routeOf } from '../../domain/routes.ts'
import { startupRedirect } from '../../domain/startup.ts'
import type { LastUninstall } from '../../domain/stores/store-uninstall.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { isDownload, linkIn } from '../../domain/embedding/download-path.ts'
import { sessionHeaders } from '../../domain/embedding/page-session.ts'
import { minute } from '../../domain/time-units.ts'
import type { ApiSession } from '../upstream/api-session.ts'
import { type AddressBook, addressesOf } from '../page/shop-addresses.ts'
import type { CookieJar, SessionCookies } from './cookies.ts'
import { bounce } from '../embedding/bounce.ts'
import { isByBearer } from '../embedding/bearer.ts'
import { neverKept } from '../http/security.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { ownPath } from '../../domain/stores/own-address.ts'
import { carriedFrom, carriedTo, pathOf, queryOf, shopOf, withQuery } from '../http/query.ts'
import { storeIdOf, type Session } from './session.ts'
import { UpstreamProblem } from '../upstream/upstream-problem.ts'
import { admit, type Visit } from './visit.ts'

export type Auth = {
  jar: CookieJar
  session: (cookies: SessionCookies, address: string) => Promise<Session | null>
  apiSession: (token: string) => ApiSession
  /** Uses a download link up: the token that it stands for. */
  useLink: Upstream['useDownloadLink']
  signIn: (request: FastifyRequest, reply: FastifyReply, idToken: string) => Promise<FastifyReply>
  clock: () => Date
  addresses: AddressBook
  /** The app's origin. */
  origin: string
}

/**
 * Query parameter on the way back from signing in, with the time. A browser that then still has no
 * session keeps no cookies.
 */
export const signedIn = 'signed_in'
const wayBack = minute

/**
 * What happens to a request for a merchant's page: sign-in, session, shell data, gate. No handler
 * of `app` runs before the gate has decided.
 */
export function gate(app: FastifyInstance, auth: Auth): void {
  app.addHook('onRequest', async (request, reply) => {
    // Only the home page's path ends in a slash. The router would take another one for an empty
    // parameter.
    if (pathOf(request) !== paths.home() && pathOf(request).endsWith('/'))
      return reply.callNotFound()
    const query = queryOf(request)
    const idToken = query.get('id_token')
    if (idToken && request.method === 'GET') return auth.signIn(request, reply, idToken)
    const sentTo = await enter(request, reply, auth)
    if (sentTo === null) return
    // A picture of a page must not sign anybody in.
    if (request.headers['sec-fetch-dest'] === 'image' && isSignIn(sentTo))
      return neverKept(reply.code(401)).send()
    // A file has no page in which a session could be held.
    const isForPage = isFirstLoad(request) && !isDownload(pathOf(request))
    if (isSignIn(sentTo) && isForPage && keepsNoCookies(query, auth.clock())) {
      await auth.addresses.learn(request)
      const addresses = addressesOf(request)
      if (addresses) return bounce(request, reply, addresses)
    }
    return leave(request, reply, sentTo)
  })
}

/**
 * Admits a request and returns null, or returns the path to redirect it to: first by its session,
 * then by the state of its store.
 */
async function enter(
  request: FastifyRequest,
  reply: FastifyReply,
  auth: Auth,
): Promise<string | null> {
  const visit = await visitOf(request, reply, auth)
  if (typeof visit === 'string') return visit
  const query = queryOf(request),
    path = pathOf(request)
  const carried = { ...carriedFrom(query), from: remembered(request, query, auth.origin) }
  const redirect = startupRedirect({ ...visit.shell, path })
  // A store that has uninstalled the app cannot navigate, so this redirect comes first.
  const blocked = redirect?.to.startsWith(paths.uninstalled())
    ? null
    : blockedNavigation({
        ...visit.shell,
        path,
        previous: previousOf(request, auth.origin)?.pathname ?? null,
      })
  if (blocked) return withQuery(blocked.to, { ...carried, blocked: blocked.reason })
  // The store has a plan meanwhile, so the page that was asked for first opens.
  const goal = redirect?.to === paths.home() && isOverlay(path) ? destination(carried.from) : null
  if (goal !== null) return withQuery(goal, carriedFrom(query))
  if (redirect) return withQuery(redirect.to, carried)
  admit(request, visit)
  return null
}

/**
 * The merchant's visit by the cookies of the session, whatever state the store is in; or the path
 * to sign in at.
 */
export async function visitOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { jar, session: sessionOf, apiSession, useLink, addresses, clock, origin }: Auth,
): Promise<Visit | string> {
  const query = queryOf(request)
  const cookies = jar.of(request, shopOf(query))
  const session =
    (await linkedSession(request, useLink, cookies)) ??
    (cookies && (await sessionOf(cookies, request.ip)))
  if (!session) return signInPath(request, clock(), origin)
  if (session.renewed) jar.set(reply, session.renewed)
  const { api, shell, download, forget } = apiSession(session.token)
  try {
    const data = await shell()
    addresses.note(data.store.shop, data.addresses)
    return { api, shell: data, download, forget }
  } catch (error) {
    if (!(error instanceof UpstreamProblem && error.status === 401)) throw error
    if (await uninstalledSince(api, storeIdOf(session.token)))
      return carriedTo(request, paths.uninstalled(cookies?.shop))
    return withQuery(paths.authMissing(), carriedFrom(query))
  }
}

/**
 * How the app was uninstalled after the token of `api` was made. Such a token may ask for nothing
 * else. Null when the token has just expired, and when the API cannot tell.
 */
export const uninstalledSince = (
  api: ApiSession['api'],
  storeId: string,
): Promise<LastUninstall | null> =>
  api.lastUninstall({ params: { id: storeId } }).catch((error: unknown) => {
    if (error instanceof UpstreamProblem) return null
    throw error
  })

/**
 * The path that signs the merchant in at the shop's admin and leads back to the same page. When
 * that was just tried, the page that says that there is no session.
 */
function signInPath(request: FastifyRequest, now: Date, origin: string): string {
  const query = queryOf(request)
  return keepsNoCookies(query, now)
    ? withQuery(paths.authMissing(), carriedFrom(query))
    : signInAgain(request, origin)
}

/** Whether the browser comes back from a sign-in just now, so that its cookies should be there. */
const keepsNoCookies = (query: URLSearchParams, now: Date): boolean =>
  Math.abs(now.getTime() - Number(query.get(signedIn) ?? NaN)) < wayBack

/** A page that the browser itself loads: no form, and no request of a page's script. */
const isFirstLoad = (request: FastifyRequest): boolean =>
  request.method === 'GET' && !request.headers['hx-request'] && !isByBearer(request)

const isSignIn = (path: string): boolean =>
  [paths.auth(), paths.authMissing()].includes(path.split('?', 1)[0]!)

/**
 * The session that a download link stands for; null without a link. A browser that is signed in to
 * another store cannot use it. Throws when the link was used or has expired.
 */
async function linkedSession(
  request: FastifyRequest,
  useLink: Auth['useLink'],
  own: SessionCookies | null,
): Promise<Session | null> {
  const linked = request.method === 'GET' ? linkIn(request.url) : null
  if (!linked) return null
  const { token } = await useLink(linked, request.ip)
  if (own?.token && storeIdOf(own.token) !== storeIdOf(token))
    throw new HttpProblem(403, 'This download link belongs to another store.')
  return { token }
}

/**
 * The path that signs in and leads back to the page of the request, or to the page that posted it.
 */
export const signInAgain = (request: FastifyRequest, origin: string): string =>
  withQuery(paths.auth(), { ...carriedFrom(queryOf(request)), from: pageOf(request, origin) })

/**
 * Redirects to another page of the app. htmx follows redirects by fetch, which cannot reach another
 * site, so it gets the address in a header.
 */
export function leave(request: FastifyRequest, reply: FastifyReply, to: string): FastifyReply {
  // A page that holds its session itself gets a new one, and repeats the request.
  if (isByBearer(request) && isSignIn(to))
    return neverKept(reply.code(401)).header(sessionHeaders.ended, '1').send()
  if (request.headers['hx-request']) return reply.header('hx-redirect', to).code(204).send()
  return reply.redirect(to, request.method === 'GET' ? 302 : 303)
}

/**
 * The page of the app that made the request; null when the merchant came from elsewhere. Browsers
 * send the address of a page only to the app itself (`security.ts`).
 */
function previousOf({ headers }: FastifyRequest, origin: string): URL | null {
  const referer = URL.parse(headers.referer ?? '')
  return referer?.origin === origin ? referer : null
}

/**
 * The page that was asked for first, kept through all redirects; also when a merchant who must
 * choose a plan tries to open another page.
 */
function remembered(request: FastifyRequest, query: URLSearchParams, origin: string): string {
  const previous = previousOf(request, origin),
    chooser = previous && isOverlay(previous.pathname) ? previous.searchParams : null
  return (
    ownPath(query.get(askedPage) ?? undefined) ??
    destination(chooser?.get(askedPage)) ??
    pageOf(request, origin)
  )
}

/** Whether a page's script asks for a part of the page, which alone is no page. */
const isPart = (request: FastifyRequest): boolean =>
  request.headers['hx-request'] !== undefined && routeOf(pathOf(request))?.isPart === true

/**
 * The page to lead back to. What was posted is lost, so for a POST it is the page with the form. If
 * that was itself the answer to a form, it is the nearest page above.
 */
function pageOf(request: FastifyRequest, origin: string): string {
  if (request.method === 'GET' && !isPart(request)) return request.url
  const from = previousOf(request, origin)
  for (let path = from?.pathname ?? ''; path !== ''; path = path.slice(0, path.lastIndexOf('/')))
    if (routeOf(path)?.guard === 'store') return ownPath(path + from!.search) ?? paths.home()
  return paths.home()
}
