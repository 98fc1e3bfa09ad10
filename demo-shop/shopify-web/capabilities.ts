import { richest, type Capabilities } from '../../domain/platform/capabilities.ts'

/**
 * What a shop on this platform can do where nothing else is said: redirects work on missing pages
 * only, express checkout loses the cart's attributes, and orders are shown for 60 days.
 */
export const shopifyCapabilities: Capabilities = {
  ...richest,
  themeWrites: false,
  redirects: 'missingPages',
  orderDays: 60,
  expressAttributes: false,
  scriptWay: 'switch',
  copies: 'merchant',
  wholeWrites: false,
}
