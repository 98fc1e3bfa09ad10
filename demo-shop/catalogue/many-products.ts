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

/** Far above the others: its product variants' ids are not those of other products. */
const largestId = 9_000_000

/** A product with 2,048 product variants, the most that hosted platforms allow. */
export function largestProduct(): Product {
  const values = (count: number) => Array.from({ length: count }, (_, i) => String(i + 1))
  const [source] = tableware
  return makeProduct(
    {
      ...source!,
      handle: 'tile',
      title: 'Tile',
      extra: {},
      options: [
        { name: 'Width', values: values(16) },
        { name: 'Height', values: values(16) },
        { name: 'Edge', values: values(8) },
      ],
    },
    largestId,
    'tableware',
  )
}
