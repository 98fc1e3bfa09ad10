/**
 * The title of our automatic discount. Buyers read it in the cart, and orders name it, which is how
 * we recognise our own discount there.
 */
export const priceDiscountTitle = 'Price'

/** Handles of our functions: `shopify/extensions/`. */
export const functionHandles = {
  transform: 'twinshelf-cart-transform',
  discount: 'twinshelf-discount',
} as const
