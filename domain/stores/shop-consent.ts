import * as Type from 'typebox'
import { countryName } from '../countries.ts'
import { type ConsentRule, consentRules } from '../events/consent.ts'

/** What the platform knows of how a shop asks its visitors for consent. */
export const ShopConsent = Type.Object({
  /** Whether the platform's own consent banner is on. */
  hasBanner: Type.Boolean(),
  /** ISO codes of the countries in which visitors must agree, everywhere or in some regions. */
  countries: Type.Array(Type.String({ pattern: '^[A-Z]{2}$' })),
})
export type ShopConsent = Type.Static<typeof ShopConsent>

/** The settings; `problem`: why they cannot be read now; null where the platform has none. */
export type ConsentFound = ShopConsent | { problem: string } | null

/** How many countries are named. */
const named = 6

/** What the settings mean for tests, the most important first. */
export function consentWords({ hasBanner, countries }: ShopConsent, rule: ConsentRule): string[] {
  if (countries.length === 0)
    return [
      'Your shop’s privacy settings name no country whose visitors must agree first.',
      rule === 'afterConsent' ? nobodyAsked : 'All visitors are counted unless they refuse.',
    ]
  const who = `Visitors from ${countriesIn(countries)}`
  return [
    hasBanner
      ? `${who} must agree in your shop’s consent banner. Tests count them only after they have agreed, so a test with many of them takes longer.`
      : `${who} must agree before they are counted, but your shop’s consent banner is off. Unless another app asks them, tests do not count them. Turn on the banner in your shop’s privacy settings.`,
    rule === 'afterConsent'
      ? nobodyAsked
      : 'Visitors from other countries are counted unless they refuse.',
  ]
}
const nobodyAsked = `Your choice “${consentRules.afterConsent}” leaves out visitors who see no banner.`

/** "Austria, Belgium and 26 other countries", by name. */
function countriesIn(codes: readonly string[]): string {
  const names = codes.map(countryName).toSorted((a, b) => a.localeCompare(b, 'en'))
  const rest = names.length - named
  return new Intl.ListFormat('en-GB').format(
    rest > 1 ? [...names.slice(0, named), `${rest} other countries`] : names,
  )
}
