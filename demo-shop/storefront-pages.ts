import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { AppScripts } from './app-script.ts'
import { priceCart, type Carts } from './carts.ts'
import { collections, everything, findCollection, findProduct } from './catalogue/collections.ts'
import { findPage, pages } from './catalogue/pages.ts'
import { search, sorted, sorts } from './catalogue/search.ts'
import { text } from './forms.ts'
import { shop } from './shop.ts'
import type { PageData, Theme } from './theme.ts'
import type { Themes } from './themes.ts'

export type StorefrontOptions = { origin: string; appOrigin: string; themes: Themes; carts: Carts; scripts: AppScripts }
export type ShowPage = (request: FastifyRequest, reply: FastifyReply, type: string, data: PageData, suffix?: string) => FastifyReply

/** Draws the shop's pages in the theme that is asked for. */
export function pageShower({ origin, appOrigin, themes, carts, scripts }: StorefrontOptions): ShowPage {
  return (request, reply, type, data, suffix) => {
    const query = request.query as Record<string, unknown>
    const theme: Theme = themes.byId(text(query['preview_theme_id'])) ?? themes.live
    const cart = carts.find(request.cookies['cart'])
    const path = request.url.split('?')[0]!
    const html = theme.render(
      { type, suffix: text(query['view']) || suffix },
      {
        shop,
        cart: priceCart(cart ?? carts.begin()),
        collections: [everything, ...collections],
        pages,
        path,
        canonical_url: origin + path,
        ...data,
      },
      contentForHeader(scripts),
    )
    return (
      reply
        .type('text/html; charset=utf-8')
        // The app may show the shop's pages in its editor; nobody else may frame them.
        .header('content-security-policy', `frame-ancestors 'self' ${appOrigin}`)
        .header('cache-control', 'no-store')
        .send(html)
    )
  }
}

/** First in every page's head, and blocking, so that an arm is there before the page is. Named by its content, so that a change is there at once. */
const contentForHeader = (scripts: AppScripts): string => {
  const script = scripts.current()
  return script ? `<script src="/assets/twinshelf.js?v=${script.etag}"></script>` : ''
}

export const showMissing = (show: ShowPage, request: FastifyRequest, reply: FastifyReply): FastifyReply => show(request, reply.code(404), '404', { page_title: 'Page not found' })

export const storefrontPages: FastifyPluginAsync<{ show: ShowPage }> = async (app, { show }) => {
  const missing = (request: FastifyRequest, reply: FastifyReply) => showMissing(show, request, reply)
  type Handle = { Params: { handle: string } }

  app.get('/', (request, reply) => show(request, reply, 'index', { page_title: shop.name, page_description: 'Stoneware, linen and wood for the kitchen, made in small batches.' }))
  app.get('/collections', (_, reply) => reply.redirect('/collections/all', 302))
  app.get<Handle>('/collections/:handle', (request, reply) => {
    const collection = findCollection(request.params.handle)
    if (!collection) return missing(request, reply)
    return show(request, reply, 'collection', {
      page_title: collection.title,
      page_description: collection.description,
      collection: sorted(collection, text((request.query as Record<string, unknown>)['sort_by'])),
      sorts: Object.entries(sorts).map(([value, { label }]) => ({ value, label })),
    })
  })
  app.get<Handle>('/products/:handle', (request, reply) => {
    const product = findProduct(request.params.handle)
    if (!product) return missing(request, reply)
    const asked = text((request.query as Record<string, unknown>)['variant'])
    return show(
      request,
      reply,
      'product',
      {
        page_title: product.title,
        page_description: product.description,
        product,
        collection: findCollection(product.collection),
        variant: product.variants.find(variant => String(variant.id) === asked) ?? product.variants[0],
        related: findCollection(product.collection)!
          .products.filter(other => other !== product)
          .concat(everything.products.filter(other => other.collection !== product.collection))
          .slice(0, 4),
      },
      product.suffix,
    )
  })
  app.get<Handle>('/pages/:handle', (request, reply) => {
    const page = findPage(request.params.handle)
    if (!page) return missing(request, reply)
    return show(request, reply, 'page', { page_title: page.title, page_description: page.summary, page, picks: (page.picks ?? []).map(findProduct) }, page.suffix)
  })
  app.get('/search', (request, reply) => {
    const terms = text((request.query as Record<string, unknown>)['q']).slice(0, 100)
    return show(request, reply, 'search', { page_title: terms ? `Search: ${terms}` : 'Search', search: { terms, ...search(terms) } })
  })
}
