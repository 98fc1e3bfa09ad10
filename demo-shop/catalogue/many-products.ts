import { tableware } from './tableware.ts'
import { makeProduct, type Product } from './product.ts'

/** Far from the ids of the catalogue's files. */
const firstId = 1_000_000

/** So many invented products, for a shop as large as the largest. */
export function manyProducts(count: number): Product[] {
  return Array.from({ length: count }, (_, n) => {
    const source = tableware[n % tableware.length]!
    return makeProduct(
      {
        ...source,
        handle: `${source.handle}-${n + 1}`,
        title: `${source.title} No. ${n + 1}`,
      },
      firstId + n,
      'tableware',
    )
  })
}
