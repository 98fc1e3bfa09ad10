import { hour } from '../../domain/time-units.ts'
import type { ShapeName } from '../pictures/shapes.ts'
import type { ToneName } from '../pictures/tones.ts'
import { type SellingPlan, sellingPlansOf } from '../orders/selling-plans.ts'

export type Option = { name: string; values: string[] }
/** A product as its list describes it. Its product variants follow from the options. */
export type ProductSource = {
  handle: string
  title: string
  /** Price of the product variant without extras. Minor units. */
  price: number
  options: Option[]
  /** What an option's value adds to the price. Minor units. */
  extra?: Record<string, number>
  shape: ShapeName
  /**
   * One for each value of the option named Glaze or Colour; a single one for products without such
   * an option.
   */
  tones: ToneName[]
  rating: number
  reviews: number
  description: string
  details: string[]
  /** Alternate template. */
  suffix?: string
}

export type ProductVariant = {
  id: number
  title: string
  price: number
  options: string[]
  picture: string
}
export type Picture = { src: string; alt: string }
export type Product = Omit<ProductSource, 'extra' | 'options'> & {
  id: number
  url: string
  collection: string
  /** When the shop added it. ISO instant. */
  createdAt: string
  /** Whether product variants differ in price; `price` is the lowest. */
  priceVaries: boolean
  options: Option[]
  variants: ProductVariant[]
  pictures: Picture[]
  /** Subscriptions in which it is sold, besides a single purchase. */
  sellingPlans: SellingPlan[]
}

/** The day the shop opened, and the time between two of its products. Milliseconds. */
const opened = Date.UTC(2024, 2, 4, 9),
  apart = 31 * hour
const toneOption = /^(Glaze|Colour)$/

/**
 * Adds what follows from a product's source: product variants, pictures, address. `id` never
 * changes.
 */
export function makeProduct(source: ProductSource, id: number, collection: string): Product {
  const { handle, title, options, extra = {}, tones, price } = source
  const picture = (n: number) => `/cdn/products/${handle}-${n}.svg`
  const toneAt = options.findIndex(option => toneOption.test(option.name))
  const variants = combinations(options).map((values, i): ProductVariant => ({
    id: id * 100 + i,
    title: values.join(' / ') || title,
    options: values,
    price: price + values.reduce((sum, value) => sum + (extra[value] ?? 0), 0),
    picture: picture(toneAt < 0 ? 1 : options[toneAt]!.values.indexOf(values[toneAt]!) + 1),
  }))
  const fronts = tones.map((tone, i) => ({
    src: picture(i + 1),
    alt: tones.length > 1 ? `${title}, ${tone}` : title,
  }))
  return {
    ...source,
    ...priced(variants),
    id,
    createdAt: new Date(opened + (id - 101) * apart).toISOString(),
    collection,
    options,
    variants,
    sellingPlans: sellingPlansOf(handle),
    url: `/products/${handle}`,
    pictures: [
      ...fronts,
      { src: picture(tones.length + 1), alt: `${title}, close up` },
      { src: picture(tones.length + 2), alt: `${title}, several on a shelf` },
      { src: picture(tones.length + 3), alt: `${title} in morning light` },
    ],
  }
}

/** The lowest price of the product variants, and whether their prices differ. */
export const priced = (variants: ProductVariant[]): Pick<Product, 'price' | 'priceVaries'> => ({
  price: Math.min(...variants.map(v => v.price)),
  priceVaries: new Set(variants.map(v => v.price)).size > 1,
})

const combinations = (options: Option[]): string[][] =>
  options.reduce<string[][]>(
    (rows, { values }) => rows.flatMap(row => values.map(value => [...row, value])),
    [[]],
  )
