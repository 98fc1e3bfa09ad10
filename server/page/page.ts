import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { h, type JSX } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { documentHtml, type Extras, type PageFrame, type Scheduler } from '../../views/document.ts'
import { blockedReasons, type BlockedReason } from '../../domain/navigation.ts'
import { paths } from '../../domain/paths.ts'
import { isAdmin, type Route, routeNamed, routeOf } from '../../domain/routes.ts'
import { LiveNote } from '../../views/live-note.tsx'
import { Blocked } from '../../views/shell.tsx'
import { MoreToasts, Toasts } from '../../views/toasts.tsx'
import { carry } from './carry.ts'
import { bareTopbarHtml, frameHtml, isWide } from './frame.ts'
import { asksContent, sendContent, type Figures } from '../reports/live-content.ts'
import { layoutOf } from './layout.ts'
import { upgradeAsked } from '../plans/plan-upgrade.ts'
import { carriedFrom, pathOf, queryOf, withQuery } from '../http/query.ts'
import { neverKept, policy } from '../http/security.ts'
import { smallScreenHtml } from './small-screen.ts'
import { takeToasts } from './toasts.ts'
import { trackPage } from '../events/usage-events.ts'
import { shellOf } from '../session/visit.ts'

export type PageOptions = {
  /** In place of the route's own, on a page that shows one thing of many. */
  title?: string
  /** Name of the route whose page this is, where the address is another's: the answer to a form, say. */
  route?: string
  /** Side navigation folded to icons or not, where a page of the route is otherwise than the route. */
  rail?: boolean
  /** In place of the route's stylesheet, or of a page that is no route's. */
  sheet?: string
  /** Only to be read: it comes without the page's script. */
  isText?: boolean
  /** The meeting scheduler, where the page shows it. */
  scheduler?: Scheduler | undefined
  /** The figures that the page shows: it keeps them up to date by itself (islands/live/live-figures.ts). */
  figures?: Figures
}
/** What is on the page: a view, or one that is rendered already (`render-cache.ts`). */
export type Content = JSX.Element | { html: string }

/** Answers with a page of the shell, in its route's layout. The status is the reply's own. */
export function page(
  request: FastifyRequest,
  reply: FastifyReply,
  options: PageOptions,
  content: Content,
): FastifyReply {
  const route = routeFor(request, options),
    layout = layoutOf(request)
  const own = options.sheet ?? route?.sheet
  const upgrade = options.route === 'error' ? null : upgradeAsked(request)
  const shell = shellOf(request),
    wide = isWide(shell, route),
    rail = options.rail ?? route?.rail ?? false
  // The answer to a form cannot be asked for again.
  const figures = (request.method === 'GET' && options.figures) || null
  const main = `<main${wide ? '' : ' class="content"'} id="content"${figures ? ` data-figures="${figures.revision}" data-asks-figures="${paths.figures(figures.test)}"` : ''}>${figures ? liveNote : ''}${blocked(request)}${htmlOf(content)}</main>`
  if (asksContent(request))
    return sendContent(request, reply, carry(main, carriedFrom(queryOf(request))), figures)
  const body = `${frameHtml(shell, route, rail, layout)}${smallScreenHtml(request)}${main}${upgrade ? renderToString(upgrade) : ''}`
  // A view may be another page's too; an error is the page of no address.
  trackPage(request, options.route === 'error' ? route : (routeOf(pathOf(request)) ?? route))
  return send(request, reply, {
    title: options.title ?? route?.title ?? 'Twinshelf',
    frame: wide ? 'bare' : rail ? 'rail' : 'shell',
    body,
    route,
    inAdmin: true,
    sheets: [...(own ? [own] : []), ...(upgrade ? ['plans'] : [])],
    extras: { ...layout.extras(), ...(options.scheduler && { scheduler: options.scheduler }) },
  })
}

/** Answers with a page outside the shell, for those who are not signed in or whose store cannot be shown. */
export function barePage(
  request: FastifyRequest,
  reply: FastifyReply,
  options: PageOptions,
  content: Content,
): FastifyReply {
  const route = routeFor(request, options)
  return send(request, reply, {
    title: options.title ?? route?.title ?? 'Twinshelf',
    frame: 'bare',
    body: `${bareTopbarHtml()}<main id="content">${blocked(request)}${htmlOf(content)}</main>`,
    route,
    ...(options.sheet && { sheets: [options.sheet] }),
    ...(options.isText && { isText: true }),
  })
}

const routeFor = (request: FastifyRequest, { route }: PageOptions): Route | null =>
  route ? routeNamed(route) : routeOf(pathOf(request))

/** Sends the browser on to a page of the app after a change. */
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
  /** A merchant's page: the admin that frames it is told where it is. */
  inAdmin?: boolean
}
/** Answers with a whole document. */
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
  const { origins, asset, host } = layoutOf(request)
  const nonce = randomBytes(16).toString('base64')
  const isFramed = !route?.unframed && !isAdmin(pathOf(request))
  return neverKept(reply)
    .type('text/html; charset=utf-8')
    .header(
      'content-security-policy',
      policy(
        nonce,
        origins,
        isFramed,
        originsOf(extras),
        extras.scheduler && [new URL(extras.scheduler.url).origin],
      ),
    )
    .send(
      documentHtml({
        title,
        frame,
        body: carry(body, carriedFrom(queryOf(request))) + toasts(request, reply),
        nonce,
        asset,
        sheets,
        isPosted: request.method === 'POST',
        isText,
        extras,
        host: inAdmin ? host : null,
      }),
    )
}

const originsOf = ({ tagManager, guidance, scheduler }: Extras): string[] => [
  ...new Set(
    [
      tagManager?.origin,
      ...[guidance?.url, scheduler?.script].map(url => url && new URL(url).origin),
    ].filter(origin => origin !== undefined),
  ),
]

/** Of a page that htmx asks for only a part is taken, and what is marked to be added elsewhere. A script that looks at the page itself (islands/live/live.ts) takes none. */
function toasts(request: FastifyRequest, reply: FastifyReply): string {
  if (request.headers['hx-request-type'] === 'partial') return ''
  const taken = takeToasts(request, reply)
  if (taken.length === 0) return noToasts
  return renderToString(h(request.headers['hx-request'] ? MoreToasts : Toasts, { toasts: taken }))
}

/** Why a navigation ended here instead (`gate.ts`). */
function blocked(request: FastifyRequest): string {
  const reason = queryOf(request).get('blocked')
  return reason !== null && Object.hasOwn(blockedReasons, reason)
    ? renderToString(h(Blocked, { reason: reason as BlockedReason }))
    : ''
}

/** Where the page says that it has brought itself up to date. */
const liveNote = renderToString(h(LiveNote, {}))
const noToasts = renderToString(h(Toasts, { toasts: [] }))
export const htmlOf = (content: Content): string =>
  'html' in content ? content.html : renderToString(content)
