import { countries } from '../../pages/localization.ts'
import { gid } from '../api/gid.ts'
import type { Answers, FaceParts } from '../face-parts.ts'
import { shopifyShop } from '../shop-names.ts'

/** Countries whose buyers must be asked, as far as the shop sells there. */
const asking: readonly string[] = ['CH', 'DE', 'FR', 'GB']

/** The shop's settings of consent: its merchant switches them on with the shop's privacy API. */
export function privacyAnswers({ state: { pageApis }, settings }: FaceParts): Answers {
  const banner = () => settings.current().consentBanner ?? pageApis.current().privacy
  const asks = () => settings.current().consentBanner !== null || pageApis.current().privacy
  const policies = () =>
    countries.map(({ code }) => ({
      __typename: 'ConsentPolicy',
      id: gid('ConsentPolicy', code),
      shopId: gid('Shop', shopifyShop.id),
      countryCode: code,
      regionCode: null,
      consentRequired: asks() && asking.includes(code),
      dataSaleOptOutRequired: false,
    }))
  return {
    query: {
      consentPolicy: ({
        id,
        countryCode,
        consentRequired,
        dataSaleOptOutRequired,
      }: {
        id?: string | null
        countryCode?: string | null
        consentRequired?: boolean | null
        dataSaleOptOutRequired?: boolean | null
      }) =>
        policies().filter(
          policy =>
            (id == null || policy.id === id) &&
            (countryCode == null || policy.countryCode === countryCode) &&
            (consentRequired == null || policy.consentRequired === consentRequired) &&
            (dataSaleOptOutRequired == null ||
              policy.dataSaleOptOutRequired === dataSaleOptOutRequired),
        ),
      consentPolicyRegions: () =>
        countries.map(({ code }) => ({ countryCode: code, regionCode: null })),
      privacySettings: () => ({
        banner: { autoManaged: false, enabled: banner() },
        dataSaleOptOutPage: { autoManaged: false },
        privacyPolicy: { autoManaged: false, supportedLocales: ['en'] },
      }),
    },
  }
}
