import type { FastifyPluginAsync } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import { day } from '../../domain/time-units.ts'
import { type AppScripts, scriptPartPath } from '../apps/app-script.ts'
import type { Bearer } from '../apps/bearer.ts'
import type { Catalogue } from '../catalogue/changed.ts'
import type { ShopCapabilities } from './capabilities.ts'
import type { Details, ShopDetails } from './details.ts'
import { text } from '../forms.ts'
import { type Order, orderJson } from '../orders/order.ts'
import type { Orders } from '../orders/orders.ts'
import { hasPriceList, type Currencies } from '../pages/currencies.ts'
import type { PageApis } from '../pages/page-apis.ts'
import { logo } from '../pages/shop-files.ts'
import { shop } from '../shop.ts'
import { experimentJson, type Experiments } from '../themes/experiments.ts'
import type { Themes } from '../themes/themes.ts'

export type AdminApiOptions = {
  origin: string
  themes: Themes
  details: Details
  capabilities: ShopCapabilities
  catalogue: Catalogue
  currencies: Currencies
  scripts: AppScripts
  pageApis: PageApis
  orders: Orders
  experiments: Experiments
  isAdmin: Bearer
  clock: () => Date
}

/** The shop's details as apps get them, in webhooks and in the admin API. */
export const shopJson = (
  origin: string,
  themes: Themes,
  { name, email, taxRate }: ShopDetails,
) => ({
  shop: shop.shop,
  domain: new URL(origin).host,
  origin,
  name,
  currency: shop.currency,
  timeZone: shop.timeZone,
  email,
  taxesIncluded: taxRate > 0,
  themeId: themes.live.id,
})

/**
 * The admin API: what an installed app may read from the shop and do in it. Every request needs
 * one of the app's access tokens as a bearer token.
 */
export const adminApi: FastifyPluginAsync<AdminApiOptions> = async (
  app,
  {
    origin,
    themes,
    details,
    capabilities,
    catalogue,
    currencies,
    scripts,
    pageApis,
    orders,
    experiments,
    isAdmin,
    clock,
  },
) => {
  app.addHook('onRequest', async request => {
    if (!isAdmin(request))
      throw new HttpProblem(401, 'This needs an access token of the app as a bearer.')
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: 1024 * 1024 },
    (_request, body, done) => done(null, body),
  )

  app.get('/admin/api/shop.json', () => shopJson(origin, themes, details.current()))
  app.get('/admin/api/capabilities.json', () => capabilities.current())
  app.get('/admin/api/experiments.json', () => experiments.running().map(experimentJson))
  app.get('/admin/api/page_apis.json', () => ({
    part: scriptPartPath,
    ...pageApis.current(),
  }))
  app.get('/admin/api/markets.json', () =>
    currencies
      .list()
      .map(market => ({ currency: market.code, has_price_list: hasPriceList(market) })),
  )
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
  app.put('/admin/api/script_part', request => {
    if (!Buffer.isBuffer(request.body) || request.body.length === 0)
      throw new HttpProblem(400, 'The body must be the part.')
    scripts.publishPart(request.body)
    return { ok: true }
  })
  app.delete('/admin/api/script', () => {
    scripts.remove()
    return { ok: true }
  })
  app.get('/admin/api/pages.json', request =>
    catalogue.pages(text((request.query as Record<string, unknown>)['search'])),
  )
  /** Whether an order is new enough for apps. */
  const isShown = ({ createdAt }: Order): boolean => {
    const { orderDays } = capabilities.current()
    return orderDays === null || Date.parse(createdAt) >= clock().getTime() - orderDays * day
  }
  app.get('/admin/api/orders.json', request => {
    const query = request.query as Record<string, unknown>
    if (typeof query['customer'] === 'string')
      return orders.ofCustomer(query['customer']).filter(isShown).map(orderJson)
    if (typeof query['changed_from'] === 'string') return changedOrders(orders, query)
    const [from, to] = [
      instant(query, 'from', '1970-01-01T00:00:00.000Z'),
      instant(query, 'to', '9999-12-31T00:00:00.000Z'),
    ]
    return orders.between(from, to).filter(isShown).map(orderJson)
  })
}

/** Orders in a page of the orders that changed in a span. */
const pageSize = 100

function changedOrders(orders: Orders, query: Record<string, unknown>) {
  const span = {
    from: instant(query, 'changed_from', ''),
    to: instant(query, 'changed_to', '9999-12-31T00:00:00.000Z'),
  }
  const [updatedAt = '', number] = text(query['after']).split(' ')
  const found = orders.changed(
    span,
    pageSize + 1,
    updatedAt === '' ? null : { updatedAt, number: Number(number) },
  )
  const page = found.slice(0, pageSize),
    last = page.at(-1)
  return {
    orders: page.map(orderJson),
    next: found.length > pageSize ? `${last!.updatedAt} ${last!.number}` : null,
  }
}

function instant(
  query: Record<string, unknown>,
  field: 'from' | 'to' | 'changed_from' | 'changed_to',
  missing: string,
): string {
  const date = new Date(text(query[field]) || missing)
  if (Number.isNaN(date.getTime()))
    throw new HttpProblem(400, `${field} is not an instant.`, [
      { field, message: 'An ISO instant.' },
    ])
  return date.toISOString()
}
