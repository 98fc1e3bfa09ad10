import { HttpProblem } from '../../../domain/problem.ts'
import { assignedTypes } from '../../../domain/themes/template.ts'
import type { Platform, ShopPage } from '../adapter.ts'
import { wholeList } from './client/lists.ts'
import { accepted, refusal } from './client/problems.ts'
import { isNotFound, type ShopifyClient } from './client/shopify-client.ts'
import {
  createUrlRedirect,
  deleteUrlRedirect,
  foundPages,
  urlRedirects,
} from './documents/pages.ts'
import { gid, idOf } from './client/shopify-ids.ts'
import { searchWords } from './client/search-words.ts'

/** Pages that every shop has. */
const own: ShopPage[] = [
  { path: '/', title: 'Home page', kind: 'home' },
  { path: '/collections/all', title: 'All products', kind: 'collection' },
  { path: '/cart', title: 'Cart', kind: 'cart' },
  { path: '/search', title: 'Search', kind: 'search' },
]

/**
 * Pages of a Shopify shop, and its redirects, which act only where a path has no page. A search has
 * the first ten of each kind; without words it has every page, from the index that we keep.
 */
export function shopifyPages(
  { ask }: ShopifyClient,
  { resourcePage }: Pick<Platform, 'resourcePage'>,
): Pick<Platform, 'searchPages' | 'createUrlRedirect' | 'deleteUrlRedirect' | 'urlRedirects'> {
  const every = async (shop: string): Promise<ShopPage[]> => {
    const lists = await Promise.all(
      assignedTypes.map(type => resourcePage(shop, type, { pageSize: Infinity })),
    )
    const pages = lists.flatMap(({ items }) =>
      items.map(({ path, title, type }): ShopPage => ({ path, title, kind: type })),
    )
    return [...own, ...pages.filter(({ path }) => own.every(page => page.path !== path))]
  }
  const all = async (shop: string, query: string | null = null) => {
    const nodes = await wholeList(
      async after => (await ask(shop, urlRedirects, { after, query })).urlRedirects,
    )
    return nodes.map(({ id, path, target }) => ({ id: idOf(id), path, target }))
  }
  return {
    searchPages: async (shop, text) => {
      if (text.trim() === '') return every(shop)
      const found = await ask(shop, foundPages, { query: searchWords(text) })
      const pages: ShopPage[] = [
        ...own,
        ...found.products.nodes.map(pageIn('/products', 'product')),
        ...found.collections.nodes.map(pageIn('/collections', 'collection')),
        ...found.pages.nodes.map(pageIn('/pages', 'page')),
        ...found.blogs.nodes.map(pageIn('/blogs', 'blog')),
        ...found.articles.nodes.map(({ blog, ...article }) =>
          pageIn(`/blogs/${blog.handle}`, 'article')(article),
        ),
      ]
      const wanted = text.trim().toLowerCase()
      return pages.filter(
        ({ path, title }) => path.toLowerCase().includes(wanted) || title.toLowerCase().includes(wanted), // prettier-ignore
      )
    },
    createUrlRedirect: async (shop, { path, target }) => {
      // The same redirect again is the one that is there, also when an answer was lost.
      const known = async () =>
        (await all(shop, `path:${JSON.stringify(path)}`)).find(one => one.path === path)
      const before = await known()
      if (before?.target === target) return { id: before.id }
      if (before)
        throw new HttpProblem(
          409,
          `Your shop already redirects ${path} to ${before.target}. Delete that redirect in your shop’s admin, then repeat this.`,
        )
      const { urlRedirectCreate } = await ask(shop, createUrlRedirect, { path, target })
      if (urlRedirectCreate?.urlRedirect) return { id: idOf(urlRedirectCreate.urlRedirect.id) }
      throw refusal(urlRedirectCreate?.userErrors ?? [])
    },
    deleteUrlRedirect: async (shop, id) => {
      const { urlRedirectDelete } = await ask(
        shop,
        deleteUrlRedirect,
        { id: gid('UrlRedirect', id) },
        { mayRepeat: true },
      )
      try {
        accepted(urlRedirectDelete)
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    },
    urlRedirects: shop => all(shop),
  }
}

const pageIn =
  (folder: string, kind: ShopPage['kind']) =>
  ({ handle, title }: { handle: string; title: string }): ShopPage => ({
    path: `${folder}/${handle}`,
    title,
    kind,
  })
