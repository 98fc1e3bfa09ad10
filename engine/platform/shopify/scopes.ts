/**
 * The permissions that Twinshelf asks a merchant for, each with what it is for.
 * `shopify/shopify.app.toml` asks for the same ones. A test compares them with what the published
 * schema says that our documents need (test/engine/platform/shopify/scopes.test.ts). A scope that
 * writes also reads.
 */
export const shopifyScopes = {
  write_products:
    'Find products and collections to test, assign them to a template, set the price of a winner, and keep tested prices with product variants.',
  read_themes: 'Read the templates that tests compare, and see whether the script is switched on.',
  read_orders: 'Count the orders of a test’s visitors. Orders of the last 60 days only.',
  write_content: 'Find pages, blogs and articles to test, and assign them to a template.',
  write_online_store_navigation: 'Redirect an address after a redirect test.',
  read_markets: 'Know in which markets tested prices are not charged.',
  write_files: 'Keep pictures of a test among the shop’s files.',
  write_cart_transforms: 'Charge tested prices on Plus and development stores.',
  write_discounts: 'Charge tested prices, as a discount, on other stores.',
  write_pixels: 'Know the visitor of an order that was bought by express checkout.',
  read_privacy_settings:
    'Tell the merchant which visitors must agree before tests count them, and whether a banner asks.',
  read_customer_events: 'What the pixel reads: that a checkout is complete.',
} as const

/** Asked for only with the configuration key. */
export const optionalScopes = {
  write_themes: {
    key: 'SHOPIFY_THEME_WRITES',
    why: 'Copy templates, write the content of arms, and publish a winning theme.',
  },
  read_rollouts: {
    key: 'SHOPIFY_ROLLOUTS',
    why: 'See the shop’s own experiments, which tests must not cross.',
  },
} as const

/**
 * Operations for which the published schema names no scope. `isConfirmed`: by the platform's own
 * documents; else a real store must show it.
 */
export const scopesByHand: readonly {
  operation: string
  scope: string
  source: string
  isConfirmed: boolean
}[] = [
  ...['themeFilesUpsert', 'themeFilesDelete', 'themePublish'].map(operation => ({
    operation,
    scope: 'write_themes',
    source: 'description of the mutation in the schema: write_themes and an exemption of the app',
    isConfirmed: true,
  })),
  {
    operation: 'webPixelCreate',
    scope: 'read_customer_events',
    source: 'requiredAccess of the mutation in the schema: "Also"',
    isConfirmed: true,
  },
  {
    operation: 'webPixelUpdate',
    scope: 'read_customer_events',
    source: 'requiredAccess of the mutation in the schema: "Also"',
    isConfirmed: true,
  },
  {
    operation: 'metafieldsSet',
    scope: 'write_products',
    source: 'requiredAccess of the mutation in the schema: the access that changes the owner',
    isConfirmed: true,
  },
  {
    operation: 'stagedUploadsCreate',
    scope: 'write_files',
    source: 'the file that is uploaded is taken in by fileCreate',
    isConfirmed: false,
  },
  {
    operation: 'rollouts',
    scope: 'read_rollouts',
    source: 'changelog of 1 October 2026; in no published schema',
    isConfirmed: false,
  },
]
