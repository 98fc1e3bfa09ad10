import { home, linen } from './home-and-linen.ts'
import { makeProduct, type Product } from './product.ts'
import { tableware } from './tableware.ts'
import { sets, wood } from './wood-and-sets.ts'

/** `id` never changes. */
export type Collection = {
  id: number
  handle: string
  title: string
  description: string
  url: string
  picture: string
  products: Product[]
}

const sources = [
  [
    'tableware',
    'Tableware',
    'Mugs, bowls and plates in three glazes that go together, because they come out of one kiln.',
    tableware,
    101,
  ],
  [
    'kitchen-linen',
    'Kitchen linen',
    'Aprons, towels and napkins that look better creased.',
    linen,
    201,
  ],
  [
    'wood-and-tools',
    'Wood and tools',
    'Spoons and boards, carved to be used every day.',
    wood,
    301,
  ],
  ['home', 'Home', 'Vases, planters, candles and one good kettle.', home, 401],
  ['sets', 'Sets', 'Things that belong together, boxed to be given.', sets, 501],
] as const

/** The shop's five collections, in the order of its menu. */
export const collections: Collection[] = sources.map(
  ([handle, title, description, list, firstId], i) => {
    const products = list.map((source, i) => makeProduct(source, firstId + i, handle))
    return {
      id: 901 + i,
      handle,
      title,
      description,
      url: `/collections/${handle}`,
      picture: products[0]!.pictures[products[0]!.tones.length + 1]!.src,
      products,
    }
  },
)

export const products: Product[] = collections.flatMap(collection => collection.products)
/** All products: the collection that every hosted shop has. */
export const everything: Collection = {
  id: 900,
  handle: 'all',
  title: 'Shop all',
  description: 'Everything we make and a few things we wish we made.',
  url: '/collections/all',
  picture: products[0]!.pictures[0]!.src,
  products,
}

const byHandle = new Map(products.map(product => [product.handle, product]))
const byVariant = new Map(
  products.flatMap(product =>
    product.variants.map(variant => [variant.id, { product, variant }] as const),
  ),
)
export const findProduct = (handle: string) => byHandle.get(handle)
export const findVariant = (id: number) => byVariant.get(id)
export const findCollection = (handle: string) =>
  handle === 'all' ? everything : collections.find(collection => collection.handle === handle)
