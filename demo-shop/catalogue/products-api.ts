import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { minorFromDecimal } from '../../domain/money.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Bearer } from '../apps/bearer.ts'
import type { WriteParts } from '../apps/write-parts.ts'
import type { Catalogue } from './changed.ts'
import { fieldsOf, integer, text, type Fields } from '../forms.ts'
import { productJson, variantJson, type CatalogueProduct } from './products-json.ts'
import { shop } from '../shop.ts'

type ById = { Params: { id: string } }
const largestPage = 250,
  idsAtOnce = 250

/**
 * The admin API for products and their prices. Every request needs the app's secret as a bearer
 * token.
 */
export const productsApi: FastifyPluginAsync<{
  catalogue: Catalogue
  origin: string
  parts: WriteParts
  isAdmin: Bearer
}> = async (app, { catalogue, origin, parts, isAdmin }) => {
  app.addHook('onRequest', async request => {
    if (!isAdmin(request))
      throw new HttpProblem(401, 'This needs an access token of the app as a bearer.')
  })
  const found = (request: FastifyRequest): CatalogueProduct[] => {
    const words = text((request.query as Fields)['query'])
      .toLowerCase()
      .split(/\s+/)
    return catalogue
      .all()
      .filter(({ product: { title, handle } }) =>
        words.every(word => title.toLowerCase().includes(word) || handle.includes(word)),
      )
  }
  const there = (id: string): CatalogueProduct => {
    const entry = catalogue.byId(id)
    if (!entry) throw new HttpProblem(404, 'There is no such product.')
    return entry
  }

  app.get('/admin/api/products.json', request => {
    const { items, ...ends } = pageOf(found(request), ({ product }) => product.id, request)
    return { products: items.map(entry => productJson(entry, origin)), ...ends }
  })
  app.get('/admin/api/products/count.json', request => ({ count: found(request).length }))
  app.get('/admin/api/products/by_id.json', request => {
    const given = (request.query as Fields)['id']
    const ids = (Array.isArray(given) ? given : [given]).map(text)
    if (ids.length > idsAtOnce) throw wrong('id', `At most ${idsAtOnce} ids.`)
    return ids.flatMap(id => catalogue.byId(id) ?? []).map(entry => productJson(entry, origin))
  })
  app.get<ById>('/admin/api/products/:id/variants.json', request => {
    const entry = there(request.params.id)
    const { items, ...ends } = pageOf(entry.product.variants, ({ id }) => id, request)
    return {
      currency: shop.currency,
      variants: items.map(variant => variantJson(entry, variant)),
      ...ends,
    }
  })
  app.put<ById>('/admin/api/products/:id/prices.json', async (request, reply) => {
    const prices = fieldsOf(request)['prices']
    if (!Array.isArray(prices)) throw wrong('prices', 'A list of prices.')
    const minor = (prices as (Fields | null)[]).map(each => {
      const price = minorFromDecimal(text(each?.['price']), shop.currency)
      if (price === null) throw wrong(text(each?.['variant_id']), 'An amount such as 12.50.')
      return { variantId: text(each?.['variant_id']), price }
    })
    const { id } = request.params
    const set = (some: typeof minor) => catalogue.setPrices(id, some)
    // The catalogue names what is wrong with the list as a whole.
    if (minor.length === 0) set(minor)
    return (
      (await parts.write(reply, minor, ({ variantId }) => variantId, set)) ??
      productJson(there(id), origin)
    )
  })
}

/**
 * A page of a list in the order of its ids, with cursors at both ends. A cursor holds an id, so
 * that items that come or go meanwhile neither repeat others nor hide them.
 */
function pageOf<T>(list: T[], idOf: (item: T) => number, request: FastifyRequest) {
  const query = request.query as Fields
  const size = query['page_size'] === undefined ? 50 : integer(query['page_size'])
  if (!(size >= 1 && size <= largestPage)) throw wrong('page_size', `1 to ${largestPage}.`)
  const direction = text(query['direction']) || 'forward'
  if (direction !== 'forward' && direction !== 'backward')
    throw wrong('direction', 'forward or backward.')
  const at = query['cursor'] === undefined ? null : idIn(text(query['cursor']))
  const all = list.toSorted((a, b) => idOf(a) - idOf(b))
  const beyond =
    at === null
      ? all
      : all.filter(item => (direction === 'forward' ? idOf(item) > at : idOf(item) < at))
  const items = direction === 'forward' ? beyond.slice(0, size) : beyond.slice(-size)
  const [first, last] = [items[0], items.at(-1)]
  return {
    items,
    start_cursor: first === undefined ? null : cursorAt(idOf(first)),
    end_cursor: last === undefined ? null : cursorAt(idOf(last)),
    has_previous: first === undefined ? false : idOf(all[0]!) < idOf(first),
    has_next: last === undefined ? false : idOf(all.at(-1)!) > idOf(last),
  }
}

const cursorAt = (id: number): string => Buffer.from(`id:${id}`).toString('base64url')
function idIn(cursor: string): number {
  const [, id] = /^id:(\d{1,12})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (id === undefined) throw wrong('cursor', 'This is no cursor of this list.')
  return Number(id)
}

const wrong = (field: string, message: string) =>
  new HttpProblem(422, `${field}: ${message}`, [{ field, message }])
