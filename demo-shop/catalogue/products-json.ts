import { decimalMoney } from '../../domain/money.ts'
import type { Product, ProductVariant } from './product.ts'
import { shop } from '../shop.ts'

export const productStatuses = ['active', 'draft', 'archived'] as const
export type ProductStatus = (typeof productStatuses)[number]
/** A product with what the back office knows about it. Instants are ISO text. */
export type CatalogueProduct = {
  product: Product
  status: ProductStatus
  isDeleted: boolean
  updatedAt: string
  variantUpdatedAt: (id: number) => string
}

/**
 * A product as apps get it, in webhooks and in the admin API. Money is decimal text in the shop's
 * currency.
 */
export function productJson(entry: CatalogueProduct, origin: string) {
  const { product, status, updatedAt } = entry
  const [picture] = product.pictures
  return {
    id: String(product.id),
    title: product.title,
    handle: product.handle,
    path: product.url,
    image: picture ? origin + picture.src : null,
    status,
    currency: shop.currency,
    created_at: product.createdAt,
    updated_at: updatedAt,
    variants: product.variants.map(variant => variantJson(entry, variant)),
  }
}

export const variantJson = (
  { product, variantUpdatedAt }: CatalogueProduct,
  { id, title, price }: ProductVariant,
) => ({
  id: String(id),
  product_id: String(product.id),
  title,
  price: decimalMoney(price, shop.currency),
  // The shop has no sales with a price struck out.
  compare_at_price: null,
  created_at: product.createdAt,
  updated_at: variantUpdatedAt(id),
})
