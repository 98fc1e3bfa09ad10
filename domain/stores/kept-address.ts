import type { AudienceValues } from '../audiences/audience-match.ts'

/** Of an address only these parts of its query are kept: what a campaign is called, which names nobody. */
export const keptParameters = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_content'] as const

/** Path and query of a page of the shop, as they are kept. */
export function keptPath(path: string): string {
  const [address = ''] = path.split('#', 1),
    place = address.indexOf('?')
  if (place < 0) return address
  const kept = address
    .slice(place + 1)
    .split('&')
    .filter(part => (keptParameters as readonly string[]).includes(part.split('=', 1)[0]!))
  return kept.length > 0 ? `${address.slice(0, place)}?${kept.join('&')}` : address.slice(0, place)
}

/** The address of a page that led to the shop, as it is kept: of another site, so without any query. */
export const keptReferrer = (referrer: string): string =>
  referrer.replace(/[?#].*$/s, '').replace(/^(\w+:\/\/)[^/@]*@/, '$1')

const urlField = 5,
  refererField = 6
const isAtEnd = /Equals?$|NotEqual$|End/

/** Whether an audience asks for something of an address that is not kept, so that nobody can say how many it reaches. */
export function asksForUnkept(values: AudienceValues): boolean {
  const url = values[urlField],
    referer = values[refererField]
  // A value that ends an address is judged behind its query.
  const looks = (condition: AudienceValues[string], kept: (value: string) => string) =>
    condition !== undefined &&
    (kept(condition.value) !== condition.value ||
      isAtEnd.test(condition.operator) ||
      /[&=]/.test(condition.value))
  return looks(url, keptPath) || looks(referer, keptReferrer)
}

/** Said where an estimate cannot see what an audience asks for. */
export const unkeptWords = `Addresses are kept without their query, except ${keptParameters.slice(0, -1).join(', ')} and ${keptParameters.at(-1)}. This audience may ask for more than that: in your shop its conditions hold for whole addresses, so the real number may differ.`
