import type {} from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Api } from '../../domain/api/api-client.ts'
import { isNoticeKey } from '../../domain/tests/attention.ts'
import type { Output } from '../../domain/api/contract.ts'
import { shopName } from '../../domain/startup.ts'
import { cookieManners } from '../session/cookies.ts'
import { layoutOf } from './layout.ts'
import { storeOf } from '../session/visit.ts'

/**
 * Up to when a browser has seen the tests that were put on hold and those that were suspended:
 * instants that the API gave, to ask from the next time. `looked`: seen on the notifications page.
 * `told`: notices above the list of tests that were dismissed.
 */
export type Look = { onHold: string; suspended: string }
type Place = 'looked' | 'told'

/** Seconds that a browser keeps these cookies. */
const remembered = 365 * 86_400

export function lastSeen(request: FastifyRequest, place: Place): Look | null {
  const [onHold, suspended] = (request.cookies[cookieName(request, place)] ?? '').split('_')
  // Accepts only what `look` can have written, because a browser can send any cookie.
  return lookOf({ onHold, suspended })
}

/** Reads a look from a form or a cookie; null when it is malformed. */
export const lookOf = ({ onHold, suspended }: { [K in keyof Look]?: unknown }): Look | null =>
  isInstant(onHold) && isInstant(suspended) ? { onHold, suspended } : null

export function look(
  request: FastifyRequest,
  reply: FastifyReply,
  place: Place,
  { onHold, suspended }: Look,
): void {
  reply.setCookie(cookieName(request, place), `${onHold}_${suspended}`, {
    ...cookieManners(layoutOf(request).origins.app),
    maxAge: remembered,
  })
}

/** Keys (`noticeKey`) of the notices above the list that were dismissed one by one. */
export const putAway = (request: FastifyRequest): ReadonlySet<string> =>
  new Set(
    (request.cookies[cookieName(request, 'away')] ?? '')
      .split('.')
      .filter(isNoticeKey)
      .slice(-mostAway),
  )
/** A cookie holds 4 kB, and older notices are no longer shown anyway. */
const mostAway = 50

export function putAwayToo(request: FastifyRequest, reply: FastifyReply, key: string): void {
  const keys = [...putAway(request)].filter(known => known !== key).slice(1 - mostAway)
  reply.setCookie(cookieName(request, 'away'), [...keys, key].join('.'), {
    ...cookieManners(layoutOf(request).origins.app),
    maxAge: remembered,
  })
}

/** The tests that were put on hold or suspended since a look; without a look, all that are. */
export async function stoppedSince(
  api: Api,
  since: Look | null,
): Promise<{ onHold: Output<'newOnHold'>; suspended: Output<'newSuspended'> }> {
  const [onHold, suspended] = await Promise.all([
    api.newOnHold({ query: since ? { timestamp: since.onHold } : {} }),
    api.newSuspended({ query: since ? { timestamp: since.suspended } : {} }),
  ])
  return { onHold, suspended }
}

const isInstant = (text: unknown): text is string =>
  typeof text === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) &&
  !Number.isNaN(Date.parse(text))
const cookieName = (request: FastifyRequest, place: Place | 'away'): string =>
  `${layoutOf(request).origins.app.startsWith('https:') ? '__Host-' : ''}${place}_${shopName(storeOf(request).shop)}`
