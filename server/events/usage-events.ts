import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { analyticsEvents } from '../../domain/google/analytics-event.ts'
import { below, type Route } from '../../domain/routes.ts'
import { layoutOf } from '../page/layout.ts'
import { pathOf } from '../http/query.ts'
import { staffName, type UsageMessage, type UsageSender } from './usage-sender.ts'
import { isAdmitted, storeOf } from '../session/visit.ts'

export type UsageEvent = (typeof analyticsEvents)[number]
type Properties = Record<string, string | number | boolean>

export type Usage = { sender: UsageSender; clock: () => Date }

/**
 * Sends an event about what the merchant did to the product's own analytics, if they are
 * configured. Never delays the answer or makes it fail.
 */
export function track(
  request: FastifyRequest,
  event: UsageEvent,
  properties: Properties = {},
): void {
  tell(request, event, properties)
}

/**
 * Sends an event about a navigation that ends on this page (requirements 3.8): its path without the
 * query, and its name. The first page of a report also sends "Test Viewed".
 */
export function trackPage(request: FastifyRequest, route: Route | null): void {
  const path = pathOf(request),
    from = previousPath(request)
  if (route?.isPart || !isNavigation(request, from)) return
  tell(
    request,
    'Page Viewed',
    { path, name: route?.name ?? 'unknown' },
    { page: { path, ...(route && { title: route.title }) } },
  )
  const report =
    route && /^report\b/.test(route.name) ? path.split('/').slice(0, 3).join('/') : null
  if (report && !(from && below(from, report)))
    tell(request, 'Test Viewed', { testId: report.split('/')[2]! })
}

/**
 * The same for a page of staff's panel. The event names no person: it has the pattern of the path,
 * because the path may name a member or a store.
 */
export function trackStaffPage(request: FastifyRequest, { path, name, title }: Route): void {
  if (!isNavigation(request, previousPath(request))) return
  send(
    request,
    { anonymousId: staffName },
    'Page Viewed',
    { path, name },
    { page: { path, title } },
  )
}

/**
 * Whether the merchant went to another page of the app. False for a POST, for the same page with
 * another query, and for a page that the browser fetches in advance.
 */
function isNavigation({ method, headers, url }: FastifyRequest, from: string | null): boolean {
  return (
    method === 'GET' &&
    from !== url.split('?', 1)[0] &&
    !headers['sec-purpose'] &&
    (!headers['hx-request'] || from !== null)
  )
}

/** Path of the app's page that made this request; null when it came from elsewhere. */
function previousPath(request: FastifyRequest): string | null {
  const { headers } = request
  const from = URL.parse(String(headers['hx-current-url'] ?? headers.referer ?? ''))
  return from?.origin === layoutOf(request).origins.app ? from.pathname : null
}

/**
 * Names the store by its id, and sends nothing that identifies a person. Requests without a session
 * send nothing (decision 063).
 */
function tell(
  request: FastifyRequest,
  event: UsageEvent,
  properties: Properties,
  context?: object,
): void {
  if (isAdmitted(request))
    send(request, { userId: storeOf(request).id }, event, properties, context)
}

function send(
  { server: { usage } }: FastifyRequest,
  who: Pick<UsageMessage, 'userId' | 'anonymousId'>,
  event: UsageEvent,
  properties: Properties,
  context?: object,
): void {
  if (!usage) return
  usage.sender.add({
    type: 'track',
    messageId: randomUUID(),
    ...who,
    event,
    timestamp: usage.clock().toISOString(),
    properties,
    ...(context && { context }),
  })
}
