import type { FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { frameOf, routeNamed, routeOf } from '../../domain/routes.ts'
import { StaffFrame } from '../../views/staff/staff-shell.tsx'
import { trackStaffPage } from '../events/usage-events.ts'
import { type Content, htmlOf, type PageOptions, send } from '../page/page.ts'
import { pathOf } from '../http/query.ts'
import { staffVisitBy } from './staff-visit.ts'

/** The stylesheet of a page without a route, which is in the same shell. */
const staffSheet = 'staff'

/**
 * Sends a page of staff's panel, in its own shell. Nobody may frame it. The reply keeps its status.
 */
export function staffPage(
  request: FastifyRequest,
  reply: FastifyReply,
  options: PageOptions,
  content: Content,
): FastifyReply {
  const route = options.route ? routeNamed(options.route) : routeOf(pathOf(request))
  const { user, menu } = staffVisitBy(request)
  const body = `${renderToString(h(StaffFrame, { user, menu, current: route?.path ?? null }))}<main class="content" id="content">${htmlOf(content)}</main>`
  if (route) trackStaffPage(request, route)
  return send(request, reply, {
    title: options.title ?? route?.title ?? 'Staff',
    frame: frameOf(route),
    body,
    route,
    sheets: [route?.sheet ?? staffSheet],
  })
}
