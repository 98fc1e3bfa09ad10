import type { FastifyPluginAsync } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import { text, type Fields } from '../forms.ts'
import { storePath } from './launch.ts'
import { shopifyShop } from '../shopify/shop-names.ts'

/**
 * The addresses of the platform's own admin, with which apps lead merchants to its pages. Each
 * leads to the page of our back office.
 */
export const storePages: FastifyPluginAsync = async app => {
  const routes: Record<string, (params: Record<string, string>, query: Fields) => string> = {
    '': () => '/admin',
    '/orders': () => '/admin',
    '/orders/:id': ({ id }) => `/admin/orders/${id}`,
    '/products': () => '/admin/products',
    '/products/:id': ({ id }) => `/admin/products#${id}`,
    '/themes': () => '/admin/themes',
    // The code editor of a theme, with the file that `key` names.
    '/themes/:id': ({ id }, { key }) =>
      text(key) === ''
        ? `/admin/themes/${id}`
        : `/admin/themes/${id}/file?name=${encodeURIComponent(text(key))}`,
    '/apps': () => `${storePath}/settings/apps`,
    '/settings': () => '/admin/settings',
    '/settings/*': () => '/admin/settings',
    '/markets': () => '/admin/settings',
  }
  for (const [path, to] of Object.entries(routes))
    app.get<{ Params: Record<string, string>; Querystring: Fields }>(
      `/admin/store/:store${path}`,
      ({ params, query }, reply) => {
        if (params['store'] !== shopifyShop.handle)
          throw new HttpProblem(404, 'There is no such store.')
        const safe = Object.fromEntries(
          Object.entries(params).map(([name, value]) => [name, encodeURIComponent(value)]),
        )
        return reply.redirect(to(safe, query), 302)
      },
    )
  // At the shop's own domain the admin has the same pages, without the store's name.
  app.get<{ Params: { '*': string } }>('/admin/themes/current/*', ({ url }, reply) =>
    reply.redirect(storePath + url.slice('/admin'.length), 302),
  )
}
