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
import { queryOf, shopOf, withQuery } from '../http/query.ts'
import { neverKept } from '../http/security.ts'
import { track } from '../events/usage-events.ts'
import { apiOf, storeOf } from '../session/visit.ts'

/** What Google sends the merchant back with. */
type Consent = { code: string; state: string }
/** How long it waits for the merchant's word, which is how long the state is good. Seconds. */
const life = 600
/** Of the 4096 bytes that a browser takes for a cookie. */
const largest = 3600

/**
 * Letting us in at Google's (docs/decisions/012): from the app's page to Google's, back to the app outside any frame,
 * where the merchant says for which store it was, and to the shop's admin again. What Google sends along is held by the
 * one browser that came back with it, and is taken only from a merchant who is signed in to the store that asked.
 */
export function googleConnect(app: FastifyInstance): void {
  // Outside the frame this signs in again, in cookies that Google's way back will see.
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
      { title: 'Connect Google Analytics', route: 'settings-integrations' },
      h(GoogleFinish, { store: storeOf(request), admin: adminPage(request) }),
    )
  })

  const finishing = new Map<string, Promise<Outcome | undefined>>()
  app.post(paths.analytics('finish'), async (request, reply) => {
    const consent = consentOf(request)
    if (!consent) return withoutConsent(request, reply)
    const { name, options } = cookieFor(request)
    reply.setCookie(name, '', { ...options, maxAge: 0 })
    // Google takes a code once: the second click of a double click learns what came of the first.
    const key = `${storeOf(request).id} ${consent.code}`
    let outcome = finishing.get(key)
    if (!outcome)
      finishing.set(key, (outcome = finish(request, consent).finally(() => finishing.delete(key))))
    return toAdmin(request, reply, await outcome)
  })
}

/** Where Google sends the merchant. Whose session is needed is read from the state; whether that is true is checked with it at the end. */
export function googleReturn(app: FastifyInstance): void {
  app.get(paths.googleReturn(), async (request, reply) => {
    const query = queryOf(request)
    const consent: Consent = { code: query.get('code') ?? '', state: query.get('state') ?? '' }
    const shop = shopIn(consent.state),
      packed = pack(consent)
    if (query.has('error')) return toAdmin(request, reply, 'denied')
    if (!consent.code || !shop || packed.length > largest) return toAdmin(request, reply, 'expired')
    // Out of the address, so that it stands in no history and goes to nobody on the way through signing in.
    const { name, options } = cookieFor(request)
    reply.setCookie(name, packed, { ...options, maxAge: life })
    return neverKept(reply).redirect(withQuery(paths.analytics('finish'), { shop }), 302)
  })
}

/** How it ended; nothing is said of a plan without it, since the page does. */
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

/** Used up by the first of two clicks, or too old. */
async function withoutConsent(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const settings = await apiOf(request).gaSettings({})
  return toAdmin(request, reply, settings?.connected ? undefined : 'expired')
}

/** A plan without it: the page says so. */
const closed = (error: unknown): undefined => {
  if (!(error instanceof HttpProblem) || error.status !== 403) throw error
}

const adminPage = (request: FastifyRequest): string =>
  addressInAdmin(layoutOf(request).host.app, paths.settings('integrations'))
/** Back into the shop's admin, which frames the app. */
const toAdmin = (request: FastifyRequest, reply: FastifyReply, ga?: Outcome): FastifyReply =>
  neverKept(reply).redirect(withQuery(adminPage(request), { ga }), 303)

/** Never within a frame: the way to Google and back is the browser's own window. */
function cookieFor(request: FastifyRequest) {
  const secure = layoutOf(request).origins.app.startsWith('https:')
  return {
    name: secure ? '__Host-google_consent' : 'google_consent',
    options: { path: '/', httpOnly: true, sameSite: 'lax', secure } as const,
  }
}

const pack = ({ code, state }: Consent): string =>
  Buffer.from(JSON.stringify([code, state])).toString('base64url')

/** Only what `pack` could have written: a browser can send any cookie. */
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

/** Shop in a state's payload. Read, not trusted. */
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
