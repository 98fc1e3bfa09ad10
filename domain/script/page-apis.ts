/**
 * What a shop's pages offer to scripts besides what every shop has: a privacy API and events of the
 * cart. The adapter of the shop's platform describes them. Shops that have one also load the part
 * of our script for it (storefront/page-apis/part.ts, decision 082). Other shops do not.
 */
export type PageApis = {
  /** The address of that part on the shop's pages. */
  part: string
  privacy?: {
    /**
     * Path below `window` of a function that says whether the visitor may be counted: true or
     * false, which also say what the law means for a visitor who has not answered. Our script sends
     * nothing before. When it says something else, the store's rule decides.
     */
    allowed: string
    /** Event on `document` after which the answer may have changed. */
    event: string
    /**
     * The cookie in which the platform stores the answer, and the texts in it that mean yes and no:
     * our script reads it before the platform's API is there.
     */
    stored: { cookie: string; yes: string; no: string }
  }
  cart?: {
    /** Event on `document` after something was put into the cart. */
    event: string
    /** Path below the event's `detail` of the product's id. */
    product: string
  }
}
