import type { Capabilities } from '../../../domain/platform/capabilities.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import type { Platform } from '../adapter.ts'
import { accepted, ScopeMissing } from './client/problems.ts'
import type { ShopifyClient } from './client/shopify-client.ts'
import { consentSettings } from './documents/consent.ts'
import {
  shopAbilities,
  type ShopAbilitiesQuery,
  shopFacts,
  uninstallApp,
} from './documents/shop.ts'
import type { ShopifyConfig } from './shopify-config.ts'
import { idOf } from './client/shopify-ids.ts'

/** Pages a minute that a program without a signature of the merchant's may read. Not confirmed. */
const unsignedReads = 30
/** How far back orders can be read without Shopify's special permission. */
const orderDays = 60

/** The shop itself, what it lets us do, and its merchant. */
export function shopifyShop(
  { ask }: ShopifyClient,
  config: Pick<ShopifyConfig, 'writesThemes' | 'readsRollouts'>,
): Pick<Platform, 'shop' | 'capabilities' | 'merchant' | 'logo' | 'consent' | 'uninstall'> {
  return {
    shop: async shop => {
      const { shop: facts, themes } = await ask(shop, shopFacts, {})
      // A merchant of another shop must not get this one's store.
      if (facts.myshopifyDomain !== shop)
        throw new HttpProblem(502, 'The shop answered for another shop.')
      return {
        shop,
        domain: facts.primaryDomain.host,
        origin: new URL(facts.primaryDomain.url).origin,
        name: facts.name,
        currency: facts.currencyCode,
        timeZone: facts.ianaTimezone,
        email: facts.email,
        themeId: idOf(themes?.nodes[0]?.id ?? ''),
        taxesIncluded: facts.taxesIncluded,
      }
    },
    capabilities: async shop => capabilitiesFrom(await ask(shop, shopAbilities, {}), config),
    merchant: async shop => {
      const { shop: facts } = await ask(shop, shopFacts, {})
      const [firstName = '', ...rest] = facts.shopOwnerName.trim().split(/\s+/)
      return {
        firstName,
        lastName: rest.join(' '),
        email: facts.email,
        phone: facts.shopAddress.phone || null,
      }
    },
    // The Admin API does not give the shop's logo.
    logo: () => Promise.resolve(null),
    consent: async shop => {
      const { privacySettings, consentPolicy } = await ask(shop, consentSettings, {}).catch(
        (error: unknown) => {
          throw error instanceof ScopeMissing ? new HttpProblem(422, error.message) : error
        },
      )
      // A region's policy names its country too. One without a country says nothing to us.
      const countries = new Set(consentPolicy.flatMap(({ countryCode }) => countryCode ?? []))
      return {
        hasBanner: privacySettings.banner?.enabled ?? false,
        countries: [...countries].sort(),
      }
    },
    uninstall: async shop => {
      const { appUninstall } = await ask(shop, uninstallApp, {}, { mayRepeat: true })
      accepted(appUninstall)
    },
  }
}

/**
 * What the plan, the granted scopes and our own configuration leave possible. A scope that the
 * merchant has not granted closes what needs it.
 */
export function capabilitiesFrom(
  { shop: { plan }, currentAppInstallation: { accessScopes } }: ShopAbilitiesQuery,
  { writesThemes, readsRollouts }: Pick<ShopifyConfig, 'writesThemes' | 'readsRollouts'>,
): Capabilities {
  const granted = new Set(accessScopes.map(({ handle }) => handle))
  const themeWrites = writesThemes && granted.has('write_themes')
  return {
    themeWrites,
    // Only Plus and development stores let a function raise the price of a line.
    priceWay:
      (plan.shopifyPlus || plan.partnerDevelopment) && granted.has('write_cart_transforms')
        ? 'transform'
        : granted.has('write_discounts')
          ? 'discount'
          : 'none',
    redirects: granted.has('write_online_store_navigation') ? 'missingPages' : 'none',
    orderDays: granted.has('read_all_orders') ? null : orderDays,
    expressAttributes: false,
    scriptWay: 'switch',
    copies: themeWrites ? 'ours' : 'merchant',
    nativeExperiments: readsRollouts && granted.has('read_rollouts'),
    unsignedReads,
    billing: 'ours',
    // Files, and assignments of templates, are written one by one.
    wholeWrites: false,
  }
}
