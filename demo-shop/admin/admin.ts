import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import { appLink, idToken, type AppLinkOptions } from './app-link.ts'
import { text } from '../forms.ts'
import type { Orders } from '../orders/orders.ts'
import type { PlatformViews } from './platform-views.ts'
import { shop } from '../shop.ts'
import { shownOrder } from '../pages/shown.ts'

export type AdminOptions = AppLinkOptions & {
  orders: Orders
  views: PlatformViews
  isSecure: boolean
  waiting: () => number
  isInstalled: () => boolean
  /** Where the app is framed instead, when this platform's own app is not in the shop. */
  otherFrame: string | null
}

const ordersShown = 50
const appPath = '/admin/apps/twinshelf'

/** The shop's back office. There is one merchant, and the demo signs her in automatically. */
export const admin: FastifyPluginAsync<AdminOptions> = async (
  app,
  { orders, views, isSecure, waiting, isInstalled, otherFrame, ...link },
) => {
  const page = (reply: FastifyReply, name: string, data: object) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "frame-ancestors 'none'")
      .header('cache-control', 'no-store')
      .send(views.render(name, data))
  const sessionOf = (request: FastifyRequest, reply: FastifyReply): string => {
    const known = request.cookies['shop_admin']
    if (known && /^[0-9a-f-]{36}$/.test(known)) return known
    const session = randomUUID()
    reply.setCookie('shop_admin', session, {
      path: '/admin',
      httpOnly: true,
      sameSite: 'lax',
      secure: isSecure,
    })
    return session
  }
  const frame = async (request: FastifyRequest, reply: FastifyReply, path: string) => {
    if (otherFrame) return reply.redirect(otherFrame + (path === '/' ? '' : path), 302)
    if (!isInstalled()) return reply.redirect('/admin/apps', 303)
    const url = await appLink(link, path, sessionOf(request, reply))
    if (!url) throw new HttpProblem(400, 'This is no page of the app.')
    return page(reply, 'admin-app', { at: 'app', src: url.href, origin: url.origin, base: appPath })
  }

  app.get('/admin', (request, reply) => {
    sessionOf(request, reply)
    return page(reply, 'admin-orders', {
      at: 'orders',
      orders: orders.latest(ordersShown).map(order => ({
        ...order,
        shown: order.presentment.code === shop.currency ? null : shownOrder(order),
      })),
      count: orders.count(),
      waiting: waiting(),
    })
  })
  app.get(appPath, (request, reply) => frame(request, reply, `/${queryOf(request)}`))
  app.get(`${appPath}/*`, (request, reply) =>
    frame(request, reply, request.url.slice(appPath.length)),
  )
  // The page around the app's frame asks for this when the app asks that page (admin-app.liquid).
  // Other sites cannot read the answer.
  app.get(`${appPath}/id-token`, async (request, reply) => {
    if (!isInstalled()) throw new HttpProblem(404, 'The app is not installed.')
    return reply
      .header('cache-control', 'no-store')
      .send({ idToken: await idToken(link, sessionOf(request, reply)) })
  })
  // The app sends its frame here when its own session has expired. It returns to the same page,
  // with a fresh token.
  app.get(`${appPath}/session`, async (request, reply) => {
    if (!isInstalled()) return reply.redirect('/admin/apps', 303)
    const url = await appLink(
      link,
      text((request.query as Record<string, unknown>)['return_to']),
      sessionOf(request, reply),
    )
    if (!url) throw new HttpProblem(400, 'return_to must be a path of the app.')
    return reply.header('cache-control', 'no-store').redirect(url.href, 303)
  })
}

const queryOf = ({ url }: FastifyRequest): string =>
  url.includes('?') ? url.slice(url.indexOf('?')) : ''
