import type {} from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { addressInAdmin } from '../../domain/stores/host-address.ts'
import { paths } from '../../domain/paths.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { GoogleFinish } from '../../views/google/integrations.tsx'
import type { Outcome } from '../../views/google/integrations-state.tsx'
import { barePage } from '../page/page.ts'
import { layoutOf } from '../page/layout.ts'
import { type AddressBook, entrancesOf } from '../page/shop-addresses.ts'
import { queryOf, shopOf, withQuery } from '../http/query.ts'
import { neverKept } from '../http/security.ts'
import { track } from '../events/usage-events.ts'
import { apiOf, storeOf } from '../session/visit.ts'

/** What Google adds to the address when it sends the merchant back. */
type Consent = { code: string; state: string }
/** Seconds within which the merchant must confirm. The state is valid for as long. */
const life = 600
/** The most characters of a packed consent. A browser accepts cookies of up to 4096 bytes. */
const largest = 3600

/**
 * Connects Google Analytics (docs/decisions/012). The merchant goes from the app's page to Google,
 * then back to the app outside any frame, confirms there which store the access is for, and returns
 * to the shop's admin. The code from Google is kept in a cookie of the browser that came back with
 * it. It is accepted only from a merchant who is signed in to the store that asked for it.
 */
export function googleConnect(app: FastifyInstance): void {
  // This page opens outside the frame, so the merchant signs in again. These cookies are also sent
  // when Google redirects back.
  app.get(paths.analytics('connect'), async (request, reply) => {
    const url = await apiOf(request)
      .connectGa({})
      .then(answer => answer?.url, closed)
    if (!url) return toAdmin(request, reply)
    track(request, 'GA Connect Started')
    return neverKept(reply).redirect(url, 302)
  })

  app.get(paths.analytics('finish'), async (request, reply) => {
    if (!consentOf(request)) return withoutConsent(request, reply)
    return barePage(
      request,
      reply,
      {},
      h(GoogleFinish, { store: storeOf(request), admin: adminPage(request)! }),
    )
  })

  const finishing = new Map<string, Promise<Outcome | undefined>>()
  app.post(paths.analytics('finish'), async (request, reply) => {
    const consent = consentOf(request)
    if (!consent) return withoutConsent(request, reply)
    const { name, options } = cookieFor(request)
    reply.setCookie(name, '', { ...options, maxAge: 0 })
    // Google accepts a code only once. On a double click, the second request gets the outcome of
    // the first.
    const key = `${storeOf(request).id} ${consent.code}`
    let outcome = finishing.get(key)
    if (!outcome)
      finishing.set(key, (outcome = finish(request, consent).finally(() => finishing.delete(key))))
    return toAdmin(request, reply, await outcome)
  })
}

/**
 * The page to which Google redirects the merchant. The state says which shop's session is needed;
 * it is verified only at the end, when the connection is made.
 */
export function googleReturn(app: FastifyInstance, { learn }: AddressBook): void {
  app.get(paths.googleReturn(), async (request, reply) => {
    const query = queryOf(request)
    const consent: Consent = { code: query.get('code') ?? '', state: query.get('state') ?? '' }
    const shop = shopIn(consent.state),
      packed = pack(consent)
    await learn(request, { shop })
    if (query.has('error')) return toAdmin(request, reply, 'denied')
    if (!consent.code || !shop || packed.length > largest) return toAdmin(request, reply, 'expired')
    // A cookie takes the code out of the address, so that it is in no history and is not passed
    // along while the merchant signs in.
    const { name, options } = cookieFor(request)
    reply.setCookie(name, packed, { ...options, maxAge: life })
    return neverKept(reply).redirect(withQuery(paths.analytics('finish'), { shop }), 302)
  })
}

/**
 * The outcome to show. Undefined when the plan does not include the connection, because the page
 * says so itself.
 */
async function finish(request: FastifyRequest, body: Consent): Promise<Outcome | undefined> {
  try {
    await apiOf(request).finishGa({ body })
    return 'connected'
  } catch (error) {
    if (!(error instanceof HttpProblem) || error.status === 401) throw error
    request.log.warn({ err: error }, 'Google not connected')
    return error.status === 403 ? undefined : (endings[error.status] ?? 'failed')
  }
}

const endings: Record<number, Outcome> = { 400: 'expired', 409: 'partly', 504: 'slow' }

/** Answers when there is no consent: the first of two clicks has used it, or it is too old. */
async function withoutConsent(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const settings = await apiOf(request).gaSettings({})
  return toAdmin(request, reply, settings?.connected ? undefined : 'expired')
}

/**
 * Ignores a 403: the plan does not include the connection, and the page says so. Throws every other
 * error.
 */
const closed = (error: unknown): undefined => {
  if (!(error instanceof HttpProblem) || error.status !== 403) throw error
}

/** Null when the shop is not known and may be on several platforms. */
function adminPage(request: FastifyRequest): string | null {
  const [entrance, ...others] = entrancesOf(request)
  return entrance && others.length === 0
    ? addressInAdmin(entrance.app, paths.settings('integrations'))
    : null
}
/**
 * Redirects back to the shop's admin, which shows the app in a frame. `ga` is the outcome to show
 * there.
 */
const toAdmin = (request: FastifyRequest, reply: FastifyReply, ga?: Outcome): FastifyReply =>
  neverKept(reply).redirect(withQuery(adminPage(request) ?? paths.authMissing(), { ga }), 303)

/**
 * The cookie is never used in a frame: the merchant goes to Google and back in the browser's own
 * window.
 */
function cookieFor(request: FastifyRequest) {
  const secure = layoutOf(request).origins.app.startsWith('https:')
  return {
    name: secure ? '__Host-google_consent' : 'google_consent',
    options: { path: '/', httpOnly: true, sameSite: 'lax', secure } as const,
  }
}

const pack = ({ code, state }: Consent): string =>
  Buffer.from(JSON.stringify([code, state])).toString('base64url')

/**
 * The consent in the cookie. Null for anything that `pack` cannot have written, because a browser
 * can send any cookie.
 */
function consentOf(request: FastifyRequest): Consent | null {
  const packed = request.cookies[cookieFor(request).name]
  if (!packed || packed.length > largest) return null
  try {
    const parts: unknown = JSON.parse(Buffer.from(packed, 'base64url').toString())
    const [code, state] = Array.isArray(parts) ? (parts as unknown[]) : []
    return typeof code === 'string' && code && typeof state === 'string' && state
      ? { code, state }
      : null
  } catch {
    return null
  }
}

/** The shop that the payload of a state names. It is not verified here. */
function shopIn(state: string): string | undefined {
  try {
    const { shop } = JSON.parse(Buffer.from(state.split('.')[1] ?? '', 'base64url').toString()) as {
      shop?: unknown
    }
    return typeof shop === 'string' ? shopOf(new URLSearchParams({ shop })) : undefined
  } catch {
    return undefined
  }
}
