import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import { ownAddress } from '../../domain/stores/own-address.ts'
import { day, hour, minute } from '../../domain/time-units.ts'
import { fieldsOf, text, type Fields } from '../forms.ts'
import type { PlatformViews } from './platform-views.ts'

export type AdminDoorOptions = {
  /**
   * Where shoppers reach the shop, and where the merchant reaches the back office: the same origin,
   * or one with another host name.
   */
  origin: string
  adminOrigin: string
  /** The app, whose frame may show the back office's page for signed-out merchants. */
  appOrigin: string
  /** null: there is no password, and anyone who comes is the merchant. */
  password: string | null
  /** Nobody can open the back office. */
  isClosed: boolean
  appSecret: string
  clock: () => Date
  views: PlatformViews
}

const cookieName = 'shop_admin_door'
const sessionHours = 12
/**
 * The cookie of a browser that was signed in once: wrong passwords that strangers try do not lock
 * it out.
 */
const knownName = 'shop_admin_known',
  knownDays = 365
const signIn = '/admin/sign-in'
/**
 * How many wrong passwords per minute are accepted from all unknown browsers together, far too few
 * to find one of twelve characters; and from one known browser.
 */
const maxWrong = 60,
  maxWrongOfKnown = 10
/** Paths that both host names serve, because pages of the back office load them. */
const shared = ['/platform.css', '/favicon.svg']

/**
 * Decides who may open the back office (`/admin…`, without what apps call: `/admin/api/…`,
 * `/admin/oauth/…`), and under
 * which host name.
 */
export function adminAuth(app: FastifyInstance, options: AdminDoorOptions): void {
  const { origin, adminOrigin, appOrigin, password, isClosed, appSecret, clock, views } = options
  const isSecure = adminOrigin.startsWith('https:')
  const isApart = new URL(adminOrigin).host !== new URL(origin).host
  const key = createHmac('sha256', appSecret)
    .update(`back office ${password ?? ''}`)
    .digest()
  const signature = (until: string): string =>
    createHmac('sha256', key).update(until).digest('base64url')
  const page = (reply: FastifyReply, name: string, data: object, framedBy = "'none'") =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', `frame-ancestors ${framedBy}`)
      .header('cache-control', 'no-store')
      .send(views.render(name, data))

  // Looks at the route that was found, not at the address as it was written: "/%61dmin" finds the
  // same route.
  app.addHook('onRequest', async (request, reply) => {
    const at = request.routeOptions.url ?? ''
    const isApi = /^\/admin\/(api|oauth)\//.test(at)
    const isOffice = !isApi && /^\/admin(\/|$)/.test(at)
    if (isApart) {
      const isThere = request.headers.host === new URL(adminOrigin).host
      if (isOffice && !isThere) return elsewhere(request, reply, adminOrigin)
      if (!isOffice && isThere && !shared.includes(at) && !isApi)
        return request.url === '/'
          ? reply.redirect('/admin', 302)
          : elsewhere(request, reply, origin)
    }
    if (!isOffice) return
    if (isClosed) return page(reply.code(503), 'admin-closed', {})
    if (password === null || at === signIn || isSignedIn(request)) return
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new HttpProblem(403, 'You are signed out of the back office. Sign in and try again.')
    // There is no room to sign in inside the app's frame.
    if (request.headers['sec-fetch-dest'] === 'iframe')
      return page(reply.code(403), 'admin-signed-out', {}, `'self' ${appOrigin}`)
    return reply.redirect(`${signIn}?${new URLSearchParams({ from: request.url })}`, 302)
  })
  if (isClosed || password === null) return

  const wrong = new Map<string, number[]>()
  app.get(signIn, (request, reply) =>
    isSignedIn(request)
      ? reply.redirect(destination(request), 302)
      : page(reply, 'admin-sign-in', { from: destination(request), problem: '' }),
  )
  app.post(signIn, (request, reply) => {
    const now = clock().getTime()
    const again = (status: number, problem: string) =>
      page(reply.code(status), 'admin-sign-in', { from: destination(request), problem })
    const known = knownBrowser(request),
      who = known ?? 'everybody'
    for (const [one, times] of wrong) {
      const recent = times.filter(at => at > now - minute)
      if (recent.length > 0) wrong.set(one, recent)
      else wrong.delete(one)
    }
    const tried = wrong.get(who) ?? []
    if (tried.length >= (known ? maxWrongOfKnown : maxWrong))
      return again(429, 'Too many wrong passwords were tried. Try again in a minute.')
    const given = text(fieldsOf(request)['password'])
    if (given === '') return again(422, 'Enter the password.')
    if (!isSame(given, password)) {
      wrong.set(who, [...tried, now])
      return again(422, 'This is not the password.')
    }
    const until = String(now + sessionHours * hour)
    // The cookie must also be sent from the app's frame, which comes from another site to get a new
    // session.
    reply.setCookie(cookieName, `${until}.${signature(until)}`, {
      ...cookie,
      maxAge: sessionHours * 3_600,
    })
    const name = known ?? randomUUID()
    reply.setCookie(knownName, `${name}.${signature(`known ${name}`)}`, {
      ...cookie,
      maxAge: (knownDays * day) / 1_000,
    })
    return reply.redirect(destination(request), 303)
  })
  app.post('/admin/sign-out', (_, reply) => {
    reply.clearCookie(cookieName, cookie)
    return reply.redirect(signIn, 303)
  })

  const cookie = {
    path: '/admin',
    httpOnly: true,
    secure: isSecure,
    sameSite: isSecure ? 'none' : 'lax',
  } as const

  function isSignedIn(request: FastifyRequest): boolean {
    const [until = '', given = ''] = (request.cookies[cookieName] ?? '').split('.')
    return isSame(given, signature(until)) && Number(until) > clock().getTime()
  }

  /** The name of a browser that was once signed in with this password, else null. */
  function knownBrowser(request: FastifyRequest): string | null {
    const [name = '', given = ''] = (request.cookies[knownName] ?? '').split('.')
    return isSame(given, signature(`known ${name}`)) ? name : null
  }

  /** The page that the merchant wanted to open; always a page of the back office. */
  function destination(request: FastifyRequest): string {
    const { from } = request.query as Fields
    const asked = text(from)
    const url = asked.startsWith('/admin') ? ownAddress(asked, adminOrigin) : null
    return url && !url.pathname.startsWith(signIn) ? url.pathname + url.search : '/admin'
  }
}

function elsewhere(
  { method, url }: FastifyRequest,
  reply: FastifyReply,
  origin: string,
): FastifyReply {
  if (method !== 'GET' && method !== 'HEAD') throw new HttpProblem(404, 'There is nothing here.')
  return reply.redirect(origin + url, 302)
}

function isSame(given: string, right: string): boolean {
  const digest = (value: string) => createHmac('sha256', 'compared').update(value).digest()
  return timingSafeEqual(digest(given), digest(right))
}
