import { articles, blogs, type Article } from './blog.ts'
import { collections, everything, products, type Collection } from './collections.ts'
import { pages, type ShopPageText } from './pages.ts'
import type { Product } from './product.ts'

export type ShopPage = {
  path: string
  title: string
  kind: 'home' | 'collection' | 'product' | 'page' | 'blog' | 'article' | 'cart' | 'search'
}

/**
 * Finds the products (among `products`), pages and articles for a shopper's words. Every word must
 * occur as the start of a word.
 */
export function search(
  terms: string,
  products: Product[],
): { products: Product[]; pages: (ShopPageText | Article)[] } {
  const words = wordsOf(terms)
  if (words.length === 0) return { products: [], pages: [] }
  const found = (...texts: string[]) => {
    const among = wordsOf(texts.join(' '))
    return words.every(word => among.some(other => other.startsWith(word)))
  }
  return {
    products: products.filter(p =>
      found(p.title, p.description, p.collection, ...p.options.flatMap(o => o.values)),
    ),
    pages: [...pages, ...articles].filter(p => found(p.title, p.summary)),
  }
}

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .normalize('NFD')
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** Every page a shopper can land on, in the order of the shop's own menu. */
export const shopPages: ShopPage[] = [
  { path: '/', title: 'Home', kind: 'home' },
  ...[everything, ...collections].map(({ url, title }): ShopPage => ({
    path: url,
    title,
    kind: 'collection',
  })),
  ...products.map(({ url, title }): ShopPage => ({ path: url, title, kind: 'product' })),
  ...pages.map(({ url, title }): ShopPage => ({ path: url, title, kind: 'page' })),
  ...blogs.map(({ url, title }): ShopPage => ({ path: url, title, kind: 'blog' })),
  ...articles.map(({ url, title }): ShopPage => ({ path: url, title, kind: 'article' })),
  { path: '/cart', title: 'Cart', kind: 'cart' },
  { path: '/search', title: 'Search', kind: 'search' },
]

/**
 * The pages of `among` whose path or title contains the text; all of them when the text is empty.
 */
export function findPages(text: string, among: ShopPage[]): ShopPage[] {
  const wanted = text.trim().toLowerCase()
  return among.filter(
    page => page.path.includes(wanted) || page.title.toLowerCase().includes(wanted),
  )
}

export const sorts = {
  featured: { label: 'Our order', order: () => 0 },
  'price-ascending': {
    label: 'Price, low to high',
    order: (a: Product, b: Product) => a.price - b.price,
  },
  'price-descending': {
    label: 'Price, high to low',
    order: (a: Product, b: Product) => b.price - a.price,
  },
  'title-ascending': {
    label: 'Name, A to Z',
    order: (a: Product, b: Product) => a.title.localeCompare(b.title),
  },
} as const
export type Sort = keyof typeof sorts

/**
 * A collection in the order that the shopper asked for. An unknown order means the shop's own
 * order.
 */
export const sorted = (collection: Collection, by: string): Collection & { sort: Sort } => {
  const sort = Object.hasOwn(sorts, by) ? (by as Sort) : 'featured'
  return { ...collection, sort, products: collection.products.toSorted(sorts[sort].order) }
}
