import type { Platform } from './adapter.ts'

/**
 * Every call about a shop, and what it asks: `call` the platform, `page` a page that shoppers see,
 * `address` nobody, so that it answers at once. A record, so that the type checker names a call
 * that is missing here.
 */
const shopCalls: Record<keyof Platform, 'call' | 'page' | 'address'> = {
  addressMessage: 'address',
  adminOrigins: 'address',
  adminScript: 'address',
  adminUrl: 'address',
  appUrl: 'address',
  assignTemplates: 'call',
  cancelSubscription: 'call',
  capabilities: 'call',
  changedOrders: 'call',
  consent: 'call',
  countProducts: 'call',
  createSubscription: 'call',
  createUrlRedirect: 'call',
  deleteThemeFiles: 'call',
  deleteUrlRedirect: 'call',
  extendTrial: 'call',
  fetchPage: 'page',
  frameAncestors: 'address',
  logo: 'call',
  merchant: 'call',
  nativeExperiments: 'call',
  orderAddress: 'address',
  ordersOf: 'call',
  pageApis: 'call',
  pageExists: 'page',
  picture: 'call',
  priceListMarkets: 'call',
  priceRules: 'call',
  productVariants: 'call',
  productsById: 'call',
  publishPicture: 'call',
  publishPixel: 'call',
  publishScript: 'call',
  publishTheme: 'call',
  removePicture: 'call',
  removeScript: 'call',
  resourcePage: 'call',
  scriptFinding: 'page',
  scriptState: 'call',
  searchPages: 'call',
  searchProducts: 'call',
  setPriceRules: 'call',
  setPrices: 'call',
  shop: 'call',
  signInUrl: 'address',
  sources: 'address',
  subscriptions: 'call',
  templateUses: 'call',
  themeFileUrl: 'address',
  themeFiles: 'call',
  themePage: 'call',
  themePreviewPath: 'address',
  themeUrl: 'address',
  tokenMessage: 'address',
  themes: 'call',
  uninstall: 'call',
  urlRedirects: 'call',
  writeThemeFiles: 'call',
}
const names = Object.keys(shopCalls) as (keyof Platform)[]
/** The calls that answer with a promise. */
export const laterCalls = names.filter(name => shopCalls[name] !== 'address')
/** The calls that cost something at the platform. */
export const costlyCalls = names.filter(name => shopCalls[name] === 'call')
/** The calls that read a page which shoppers see. */
export const pageCalls = names.filter(name => shopCalls[name] === 'page')
/** The calls that answer at once. */
export const addressCalls = names.filter(name => shopCalls[name] === 'address')
