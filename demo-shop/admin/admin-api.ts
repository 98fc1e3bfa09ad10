import type { FastifyPluginAsync } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import type { AppScripts } from '../apps/app-script.ts'
import type { Bearer } from '../apps/bearer.ts'
import type { Catalogue } from '../catalogue/changed.ts'
import type { Details, ShopDetails } from './details.ts'
import { text } from '../forms.ts'
import { orderJson } from '../orders/order.ts'
import type { Orders } from '../orders/orders.ts'
import { logo } from '../pages/shop-files.ts'
import { shop } from '../shop.ts'
import type { Themes } from '../themes/themes.ts'

export type AdminApiOptions = {
  origin: string
  themes: Themes
  details: Details
  catalogue: Catalogue
  scripts: AppScripts
  orders: Orders
  isAdmin: Bearer
}

/** The shop's details as apps get them, in webhooks and in the admin API. */
export const shopJson = (origin: string, themes: Themes, { name, email }: ShopDetails) => ({
  shop: shop.shop,
  domain: new URL(origin).host,
  origin,
  name,
  currency: shop.currency,
  timeZone: shop.timeZone,
  email,
  themeId: themes.live.id,
})

/**
 * The admin API: what an installed app may read from the shop and do in it. Every request needs the
 * app's secret as a bearer token.
 */
export const adminApi: FastifyPluginAsync<AdminApiOptions> = async (
  app,
  { origin, themes, details, catalogue, scripts, orders, isAdmin },
) => {
  app.addHook('onRequest', async request => {
    if (!isAdmin(request)) throw new HttpProblem(401, 'This needs the app’s secret as a bearer.')
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: 1024 * 1024 },
    (_request, body, done) => done(null, body),
  )

  app.get('/admin/api/shop.json', () => shopJson(origin, themes, details.current()))
  app.get('/admin/api/merchant.json', () => {
    const { firstName, lastName, email, phone } = shop.merchant
    return { first_name: firstName, last_name: lastName, email, phone }
  })
  app.get('/admin/api/logo.svg', (_, reply) => reply.type('image/svg+xml').send(logo))
  app.put('/admin/api/script', async request => {
    if (!Buffer.isBuffer(request.body) || request.body.length === 0)
      throw new HttpProblem(400, 'The body must be the script.')
    await scripts.publish(
      request.body,
      text((request.query as Record<string, unknown>)['inline']) === '1',
    )
    return { url: `${origin}/assets/twinshelf.js` }
  })
  app.delete('/admin/api/script', () => {
    scripts.remove()
    return { ok: true }
  })
  app.get('/admin/api/pages.json', request =>
    catalogue.pages(text((request.query as Record<string, unknown>)['search'])),
  )
  app.get('/admin/api/orders.json', request => {
    const query = request.query as Record<string, unknown>
    if (typeof query['customer'] === 'string')
      return orders.ofCustomer(query['customer']).map(orderJson)
    const [from, to] = [
      instant(query, 'from', '1970-01-01T00:00:00.000Z'),
      instant(query, 'to', '9999-12-31T00:00:00.000Z'),
    ]
    return orders.between(from, to).map(orderJson)
  })
}

function instant(query: Record<string, unknown>, field: 'from' | 'to', missing: string): string {
  const date = new Date(text(query[field]) || missing)
  if (Number.isNaN(date.getTime()))
    throw new HttpProblem(400, `${field} is not an instant.`, [
      { field, message: 'An ISO instant.' },
    ])
  return date.toISOString()
}
