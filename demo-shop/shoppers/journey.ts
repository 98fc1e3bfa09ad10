import { collections, everything, products } from '../catalogue/collections.ts'
import { pages } from '../catalogue/pages.ts'
import type { Product } from '../catalogue/product.ts'
import type { Chance } from './chance.ts'

const popular = products.map((product, i) => [product.reviews + (i % 5) * 10, product] as const)
const lists = [
  [3, everything],
  ...collections.map(collection => [collection.products.length / 5, collection] as const),
] as const
// At this time of year the shop's own newsletters lead to the gift guide.
const readings = pages
  .filter(page => page.handle !== 'gift-guide-2026')
  .map(page => [page.handle === 'gift-guide' ? 8 : 1, page] as const)
const guide = '/pages/gift-guide'

export const popularProduct = (chance: Chance): Product => chance.weighted(popular)

/** Where a visit begins. Most visits begin on the `preferred` pages, if there are any. */
export function entryPage(chance: Chance, preferred: readonly string[]): string {
  if (preferred.length > 0 && chance.happens(0.8)) return chance.pick(preferred)
  return chance.weighted([
    [32, () => '/'],
    [30, () => popularProduct(chance).url],
    [18, () => chance.weighted(lists).url],
    [20, () => chance.weighted(readings).url],
  ] as const)()
}

/** Where a shopper goes from a page, if they continue. */
export function nextPage(path: string, chance: Chance): string {
  if (path.startsWith('/products/'))
    return chance.weighted([
      [5, () => popularProduct(chance).url],
      [3, () => chance.weighted(lists).url],
      [1, () => '/'],
    ] as const)()
  if (path.startsWith('/collections/'))
    return chance.weighted([
      [8, () => popularProduct(chance).url],
      [2, () => chance.weighted(lists).url],
    ] as const)()
  if (path.startsWith(guide))
    return chance.weighted([
      [8, () => popularProduct(chance).url],
      [2, () => chance.weighted(lists).url],
    ] as const)()
  return chance.weighted([
    [4, () => popularProduct(chance).url],
    [4, () => chance.weighted(lists).url],
    [1, () => guide],
    [1, () => chance.weighted(readings).url],
  ] as const)()
}
