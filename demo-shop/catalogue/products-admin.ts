import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { decimalMoney, minorFromDecimal } from '../../domain/money.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { templateOf } from '../../domain/themes/template.ts'
import { adminPage, formDone } from '../admin/admin-page.ts'
import type { Assignments } from '../themes/assignments.ts'
import type { Catalogue } from './changed.ts'
import { fieldsOf, group, text, type Fields } from '../forms.ts'
import type { PlatformViews } from '../admin/platform-views.ts'
import { productStatuses } from './products-json.ts'
import { shop } from '../shop.ts'
import type { Themes } from '../themes/themes.ts'

type ById = { Params: { id: string } }
export type ProductsAdminOptions = {
  catalogue: Catalogue
  assignments: Assignments
  themes: Themes
  views: PlatformViews
}

/** The back office's pages about products: prices, template, status, deleting and restoring. */
export const productsAdmin: FastifyPluginAsync<ProductsAdminOptions> = async (
  app,
  { catalogue, assignments, themes, views },
) => {
  const page = adminPage(views)
  const suffixes = (): string[] => {
    const live = themes.list().find(({ role }) => role === 'live')!
    return themes.files(live.id, ['templates/']).flatMap(({ name }) => {
      const template = templateOf(name)
      return template?.type === 'product' && template.suffix ? [template.suffix] : []
    })
  }
  const one = (
    reply: FastifyReply,
    id: string,
    values: Record<string, string> = {},
    problem = '',
  ) => {
    const entry = catalogue.byId(id)
    if (!entry) throw new HttpProblem(404, 'There is no such product.')
    const { product, status, updatedAt } = entry
    const suffix = assignments.suffixOf('product', product.id)
    return page(reply, 'admin-product', {
      at: 'products',
      product,
      status,
      updatedAt,
      statuses: productStatuses,
      problem,
      suffix,
      suffixes: [...new Set(['', ...suffixes(), suffix])],
      variants: product.variants.map(({ id, title, price }) => ({
        id,
        title,
        price: values[id] ?? decimalMoney(price, shop.currency),
      })),
    })
  }

  app.get('/admin/products', (_, reply) =>
    page(reply, 'admin-products', {
      at: 'products',
      products: catalogue.all().map(({ product, status, updatedAt }) => ({
        ...product,
        status,
        updatedAt,
        suffix: assignments.suffixOf('product', product.id),
      })),
      deleted: catalogue.deleted().map(({ product }) => product),
    }),
  )
  app.get<ById>('/admin/products/:id', (request, reply) => one(reply, request.params.id))
  app.post<ById>('/admin/products/:id', (request, reply) => {
    const { id } = request.params
    const fields = fieldsOf(request)
    const values = group(fields, 'prices')
    return formDone(
      reply,
      () => change(id, values, fields),
      `/admin/products/${encodeURIComponent(id)}`,
      ({ status, message }) => one(reply.code(status), id, values, message),
    )
  })
  app.post<ById>('/admin/products/:id/delete', (request, reply) => {
    catalogue.remove(request.params.id)
    return reply.redirect('/admin/products', 303)
  })
  app.post<ById>('/admin/products/:id/restore', (request, reply) => {
    catalogue.restore(request.params.id)
    return reply.redirect(`/admin/products/${encodeURIComponent(request.params.id)}`, 303)
  })

  function change(id: string, values: Record<string, string>, fields: Fields): void {
    const prices = Object.entries(values).map(([variantId, value]) => {
      const price = minorFromDecimal(value, shop.currency)
      if (price === null) throw new HttpProblem(422, `“${value}” is no amount of money.`)
      return { variantId, price }
    })
    const status =
      fields['status'] === undefined
        ? null
        : productStatuses.find(status => status === text(fields['status']))
    if (status === undefined) throw new HttpProblem(422, 'There is no such status.')
    if (prices.length > 0) catalogue.setPrices(id, prices)
    if (status) catalogue.setStatus(id, status)
    if (fields['suffix'] !== undefined)
      assignments.assign([{ type: 'product', id, suffix: text(fields['suffix']) }])
  }
}
