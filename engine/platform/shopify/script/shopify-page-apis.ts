import type { PageApis } from '../../../../domain/script/page-apis.ts'

/**
 * The privacy API of every Shopify shop. A script must load it first, which the extension's own
 * file for it does; only the extension's Liquid knows where that file is. The cookie is JSON, in
 * which "a" is analytics.
 */
export const shopifyPageApis: PageApis = {
  part: '',
  privacy: {
    allowed: 'Shopify.customerPrivacy.analyticsProcessingAllowed',
    event: 'visitorConsentCollected',
    stored: { cookie: '_tracking_consent', yes: '"a":"1"', no: '"a":"0"' },
  },
}
