import * as Type from 'typebox'

/**
 * How a shop charges the prices of a test: `transform` changes the price of a line in either
 * direction, `discount` only lowers it (the shop's own price must be the highest), `none` neither.
 */
export const priceWays = ['transform', 'discount', 'none'] as const
/**
 * Where the shop's own redirects work: on every path, only on paths that no page has (a 404), or
 * nowhere.
 */
export const redirectWays = ['always', 'missingPages', 'none'] as const
/**
 * How our script comes into the shop's pages: we put it there, or the merchant turns on a switch in
 * the theme editor and the platform delivers it.
 */
export const scriptWays = ['uploaded', 'switch'] as const
/** Whether we or the merchant make the copy of a theme or template that a test needs. */
export const copyWays = ['ours', 'merchant'] as const
/**
 * Whose plans a merchant can pay for: we create each subscription (with codes, trials and custom
 * plans), or the platform offers fixed plans of its own.
 */
export const billingWays = ['ours', 'platform'] as const

/** What one store can do on its platform. Its adapter says so. */
export const Capabilities = Type.Object({
  /** Whether we may write files of themes. */
  themeWrites: Type.Boolean(),
  priceWay: Type.Enum([...priceWays]),
  redirects: Type.Enum([...redirectWays]),
  /** How far back we can read orders, in days; null means all of them. */
  orderDays: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  /** Whether an order of "Buy it now" or express checkout carries the attributes of the cart. */
  expressAttributes: Type.Boolean(),
  scriptWay: Type.Enum([...scriptWays]),
  copies: Type.Enum([...copyWays]),
  /** Whether the platform can run experiments of its own that we must not cross. */
  nativeExperiments: Type.Boolean(),
  /**
   * Pages that a program without a signature of the merchant's may read a minute; null means any
   * number.
   */
  unsignedReads: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  billing: Type.Enum([...billingWays]),
  /**
   * Whether a write of several files, assignments or prices is done wholly or not at all. Otherwise
   * a part of it may be done when it fails.
   */
  wholeWrites: Type.Boolean(),
})
export type Capabilities = Type.Static<typeof Capabilities>

/** A store that can do everything. */
export const richest: Capabilities = {
  themeWrites: true,
  priceWay: 'transform',
  redirects: 'always',
  orderDays: null,
  expressAttributes: true,
  scriptWay: 'uploaded',
  copies: 'ours',
  nativeExperiments: false,
  unsignedReads: null,
  billing: 'ours',
  wholeWrites: true,
}
/** A store that can do the least that a platform of ours offers. */
export const poorest: Capabilities = {
  themeWrites: false,
  priceWay: 'none',
  redirects: 'none',
  orderDays: 60,
  expressAttributes: false,
  scriptWay: 'switch',
  copies: 'merchant',
  nativeExperiments: true,
  unsignedReads: 30,
  billing: 'platform',
  wholeWrites: false,
}

/** Both by name, as a configuration asks for them. */
export const capabilitiesByName = { richest, poorest } as const
export const namedCapabilities = ['richest', 'poorest'] as const
