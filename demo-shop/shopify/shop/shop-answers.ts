import { shop } from '../../shop.ts'
import { gid } from '../api/gid.ts'
import { metafieldAnswers } from '../app/metafield-answers.ts'
import type { Answers, FaceParts } from '../face-parts.ts'
import { apiVersion } from '../schema/admin-schema.ts'
import { shopifyShop } from '../shop-names.ts'

const planNames = {
  standard: 'Basic',
  advanced: 'Advanced',
  plus: 'Shopify Plus',
  development: 'Developer Preview',
} as const
const openedAt = '2024-03-04T09:00:00Z'

/** The shop itself, and the versions of the API. */
export function shopAnswers(parts: FaceParts): Answers {
  const { state, settings, origin } = parts
  const id = gid('Shop', shopifyShop.id)
  const answer = () => {
    const { name, email, taxRate } = state.details.current()
    const { plan } = settings.current()
    return {
      __typename: 'Shop',
      ...metafieldAnswers(parts, id),
      id,
      name,
      email,
      contactEmail: email,
      description: null,
      myshopifyDomain: shopifyShop.domain,
      url: origin,
      primaryDomain: {
        __typename: 'Domain',
        id: gid('Domain', 1),
        host: new URL(origin).host,
        url: origin,
        sslEnabled: origin.startsWith('https:'),
      },
      shopOwnerName: shop.merchant.name,
      currencyCode: shop.currency,
      enabledPresentmentCurrencies: state.currencies.list().map(({ code }) => code),
      ianaTimezone: shop.timeZone,
      taxesIncluded: taxRate > 0,
      setupRequired: false,
      createdAt: openedAt,
      plan: {
        publicDisplayName: planNames[plan],
        displayName: planNames[plan],
        partnerDevelopment: plan === 'development',
        shopifyPlus: plan === 'plus',
      },
      shopAddress: { phone: shop.merchant.phone, company: name, countryCodeV2: 'US' },
    }
  }
  return {
    query: {
      shop: answer,
      publicApiVersions: () =>
        [apiVersion, 'unstable'].map(handle => ({
          handle,
          displayName: handle,
          supported: handle !== 'unstable',
        })),
    },
  }
}
