import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { h, type JSX } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { documentHtml, type Extras, type Scheduler } from '../../views/document.ts'
import { blockedReasons, type BlockedReason } from '../../domain/navigation.ts'
import { paths } from '../../domain/paths.ts'
import {
  frameOf,
  isAdmin,
  type PageFrame,
  type Route,
  routeNamed,
  routeOf,
} from '../../domain/routes.ts'
import { LiveNote } from '../../views/live-note.tsx'
import { Blocked } from '../../views/shell.tsx'
import { MoreToasts, Toasts } from '../../views/toasts.tsx'
import { carry } from './carry.ts'
import { bareTopbarHtml, frameFor, frameHtml } from './frame.ts'
import { asksContent, sendContent, type Figures } from '../reports/live-content.ts'
import { layoutOf } from './layout.ts'
import { upgradeAsked } from '../plans/plan-upgrade.ts'
import { carriedFrom, pathOf, queryOf, withQuery } from '../http/query.ts'
import { neverKept, policy } from '../http/security.ts'
import { addressesOf } from './shop-addresses.ts'
import { smallScreenHtml } from './small-screen.ts'
import { takeToasts } from './toasts.ts'
import { trackPage } from '../events/usage-events.ts'
import { shellOf } from '../session/visit.ts'

export type PageOptions = {
  /** Replaces the route's title, on a page that shows one item of many. */
  title?: string
  /**
   * Name of the page's route, when the address belongs to another route, as in the answer to a
   * form.
   */
  route?: string
  /** A page without a session that has a link into the app. */
  leadsBack?: true
  /** A page that is only read: it loads no script. */
  isText?: boolean
  /** The meeting scheduler, where the page shows it. */
  scheduler?: Scheduler | undefined
  /** The figures that the page shows and keeps up to date (islands/live/live-figures.ts). */
  figures?: Figures
}
/** The content of a page: a view, or HTML that is already rendered (`render-cache.ts`). */
export type Content = JSX.Element | { html: string }

/** Sends a page inside the shell, in its route's layout. The reply keeps its status. */
export function page(
  request: FastifyRequest,
  reply: FastifyReply,
  options: PageOptions,
  content: Content,
): FastifyReply {
  const route = routeFor(request, options),
    layout = layoutOf(request)
  const own = route?.sheet
  const upgrade = options.route === 'error' ? null : upgradeAsked(request)
  // An error keeps the navigation, although the error page itself has none.
  const framed = route?.name === 'error' && routeOf(pathOf(request)) !== route ? null : route
  const shell = shellOf(request),
    frame = frameFor(shell, framed),
    wide = frame === 'bare'
  // The answer to a form cannot be requested again, so its figures are not live.
  const figures = (request.method === 'GET' && options.figures) || null
  const main = `<main${wide ? '' : ' class="content"'} id="content"${figures ? ` data-figures="${figures.revision}" data-asks-figures="${paths.figures(figures.test)}"` : ''}>${figures ? liveNote : ''}${blocked(request)}${htmlOf(content)}</main>`
  if (asksContent(request))
    return sendContent(request, reply, carry(main, carriedFrom(queryOf(request))), figures)
  const body = `${frameHtml(shell, framed, layout)}${smallScreenHtml(request)}${main}${upgrade ? renderToString(upgrade) : ''}`
  // Track a page by its address, because `options.route` may name another page. An error page has
  // no address of its own.
  trackPage(request, options.route === 'error' ? route : (routeOf(pathOf(request)) ?? route))
  return send(request, reply, {
    title: options.title ?? route?.title ?? 'Twinshelf',
    frame,
    body,
    route,
    inAdmin: true,
    sheets: [...(own ? [own] : []), ...(upgrade ? ['plans'] : [])],
    extras: { ...layout.extras(), ...(options.scheduler && { scheduler: options.scheduler }) },
  })
}

/**
 * Sends a page outside the shell, for people who are not signed in or whose store cannot be shown.
 * Its route has no layout (`none`).
 */
export function barePage(
  request: FastifyRequest,
  reply: FastifyReply,
  options: PageOptions,
  content: Content,
): FastifyReply {
  const route = routeFor(request, options)
  trackPage(request, routeOf(pathOf(request)) ?? route)
  return send(request, reply, {
    title: options.title ?? route?.title ?? 'Twinshelf',
    frame: frameOf(route),
    body: `${bareTopbarHtml(options.leadsBack ? paths.home() : '')}<main id="content">${blocked(request)}${htmlOf(content)}</main>`,
    route,
    ...(options.isText && { isText: true }),
  })
}

const routeFor = (request: FastifyRequest, { route }: PageOptions): Route | null =>
  route ? routeNamed(route) : routeOf(pathOf(request))

/** Redirects the browser (303) to a page of the app after a change. */
export const seeOther = (
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
): FastifyReply => reply.redirect(withQuery(path, carriedFrom(queryOf(request))), 303)

export type Sent = {
  title: string
  frame: PageFrame
  body: string
  route: Route | null
  sheets?: readonly string[]
  extras?: Extras
  isText?: boolean
  /** A merchant's page: it tells the admin that frames it which path it shows. */
  inAdmin?: boolean
}
/** Sends a whole HTML document. */
export function send(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    title,
    frame,
    body,
    route,
    sheets = route?.sheet ? [route.sheet] : [],
    extras = {},
    isText = false,
    inAdmin = false,
  }: Sent,
): FastifyReply {
  const { asset, scripts } = layoutOf(request),
    addresses = addressesOf(request)
  const nonce = randomBytes(16).toString('base64')
  const isFramed = !route?.unframed && !isAdmin(pathOf(request))
  return neverKept(reply)
    .type('text/html; charset=utf-8')
    .header(
      'content-security-policy',
      policy(
        nonce,
        addresses,
        isFramed,
        originsOf(extras),
        extras.scheduler && [new URL(extras.scheduler.url).origin],
      ),
    )
    .send(
      // Bytes, because a text would be encoded twice: to learn its length, and to be compressed.
      Buffer.from(
        documentHtml({
          title,
          frame,
          body: carry(body, carriedFrom(queryOf(request))) + toasts(request, reply),
          nonce,
          asset,
          scripts,
          sheets,
          isPosted: request.method === 'POST',
          isText,
          extras,
          host: inAdmin ? addresses : null,
        }),
      ),
    )
}

export const originsOf = ({ tagManager, guidance, scheduler }: Extras): string[] => [
  ...new Set(
    [
      tagManager?.origin,
      ...[guidance?.url, scheduler?.script].map(url => url && new URL(url).origin),
    ].filter(origin => origin !== undefined),
  ),
]

/**
 * htmx uses only a part of the page that it requests, and adds what is marked to be added
 * elsewhere, so it gets `MoreToasts`. The app's own scripts that fetch a part (islands/live/) get
 * none: toasts then wait for the next page.
 */
function toasts(request: FastifyRequest, reply: FastifyReply): string {
  if (request.headers['hx-request-type'] === 'partial') return ''
  const taken = takeToasts(request, reply)
  if (taken.length === 0) return noToasts
  return renderToString(h(request.headers['hx-request'] ? MoreToasts : Toasts, { toasts: taken }))
}

/** The notice why a navigation ended on this page instead (`gate.ts`). */
function blocked(request: FastifyRequest): string {
  const reason = queryOf(request).get('blocked')
  return reason !== null && Object.hasOwn(blockedReasons, reason)
    ? renderToString(h(Blocked, { reason: reason as BlockedReason }))
    : ''
}

/** Where the page says that it has updated itself. */
const liveNote = renderToString(h(LiveNote, {}))
const noToasts = renderToString(h(Toasts, { toasts: [] }))
export const htmlOf = (content: Content): string =>
  'html' in content ? content.html : renderToString(content)
