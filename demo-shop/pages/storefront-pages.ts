import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Assignments } from '../themes/assignments.ts'
import { blogs } from '../catalogue/blog.ts'
import type { Catalogue } from '../catalogue/changed.ts'
import { findPage } from '../catalogue/pages.ts'
import { sorted, sorts } from '../catalogue/search.ts'
import type { Details } from '../admin/details.ts'
import { text } from '../forms.ts'
import { showMissing, type ShowPage } from './show-page.ts'

export type StorefrontPagesOptions = {
  show: ShowPage
  catalogue: Catalogue
  assignments: Assignments
  details: Details
}

export const storefrontPages: FastifyPluginAsync<StorefrontPagesOptions> = async (
  app,
  { show, catalogue, assignments, details },
) => {
  const missing = (request: FastifyRequest, reply: FastifyReply) =>
    showMissing(show, request, reply)
  const { suffixOf } = assignments
  type Handle = { Params: { handle: string } }

  app.get('/', (request, reply) =>
    show(request, reply, 'index', {
      page_title: details.current().name,
      page_description: 'Stoneware, linen and wood for the kitchen, made in small batches.',
    }),
  )
  app.get('/collections', (_, reply) => reply.redirect('/collections/all', 302))
  app.get<Handle>('/collections/:handle', (request, reply) => {
    const collection = catalogue
      .collections()
      .find(({ handle }) => handle === request.params.handle)
    if (!collection) return missing(request, reply)
    return show(
      request,
      reply,
      'collection',
      {
        page_title: collection.title,
        page_description: collection.description,
        collection: sorted(collection, text((request.query as Record<string, unknown>)['sort_by'])),
        sorts: Object.entries(sorts).map(([value, { label }]) => ({ value, label })),
      },
      suffixOf('collection', collection.id),
    )
  })
  app.get<Handle>('/products/:handle', (request, reply) => {
    const product = catalogue.findProduct(request.params.handle)
    if (!product) return missing(request, reply)
    const asked = text((request.query as Record<string, unknown>)['variant'])
    const others = catalogue.onSale().filter(other => other !== product)
    return show(
      request,
      reply,
      'product',
      {
        page_title: product.title,
        page_description: product.description,
        product,
        collection: catalogue.collections().find(({ handle }) => handle === product.collection),
        variant:
          product.variants.find(variant => String(variant.id) === asked) ?? product.variants[0],
        related: others
          .filter(other => other.collection === product.collection)
          .concat(others.filter(other => other.collection !== product.collection))
          .slice(0, 4),
      },
      suffixOf('product', product.id),
    )
  })
  app.get<Handle>('/pages/:handle', (request, reply) => {
    const page = findPage(request.params.handle)
    if (!page) return missing(request, reply)
    const picks = (page.picks ?? []).flatMap(handle => catalogue.findProduct(handle) ?? [])
    return show(
      request,
      reply,
      'page',
      { page_title: page.title, page_description: page.summary, page, picks },
      suffixOf('page', page.id),
    )
  })
  app.get<Handle>('/blogs/:handle', (request, reply) => {
    const blog = blogs.find(({ handle }) => handle === request.params.handle)
    return blog
      ? show(
          request,
          reply,
          'blog',
          { page_title: blog.title, page_description: blog.summary, blog },
          suffixOf('blog', blog.id),
        )
      : missing(request, reply)
  })
  app.get<{ Params: { handle: string; article: string } }>(
    '/blogs/:handle/:article',
    (request, reply) => {
      const blog = blogs.find(({ handle }) => handle === request.params.handle)
      const article = blog?.articles.find(({ handle }) => handle === request.params.article)
      if (!article) return missing(request, reply)
      return show(
        request,
        reply,
        'article',
        { page_title: article.title, page_description: article.summary, blog, article },
        suffixOf('article', article.id),
      )
    },
  )
  app.get('/search', (request, reply) => {
    const terms = text((request.query as Record<string, unknown>)['q']).slice(0, 100)
    return show(request, reply, 'search', {
      page_title: terms ? `Search: ${terms}` : 'Search',
      search: { terms, ...catalogue.search(terms) },
    })
  })
}
