import type { AudienceValues } from '../audiences/audience-match.ts'

/** The only query parameters of an address that we keep. They name campaigns, not people. */
export const keptParameters = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_content'] as const

/** The path and query of a page of the shop, in the form that we keep. */
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

/**
 * The address of the page that led to the shop, in the form that we keep: without query, fragment
 * and user name.
 */
export const keptReferrer = (referrer: string): string =>
  referrer.replace(/[?#].*$/s, '').replace(/^(\w+:\/\/)[^/@]*@/, '$1')

const urlField = 5,
  refererField = 6
const isAtEnd = /Equals?$|NotEqual$|End/

/**
 * Whether an audience uses a part of an address that we do not keep, so that its size cannot be
 * estimated well.
 */
export function asksForUnkept(values: AudienceValues): boolean {
  const url = values[urlField],
    referer = values[refererField]
  // In the shop, a condition on the end of an address sees the whole query, which we do not keep.
  const looks = (condition: AudienceValues[string], kept: (value: string) => string) =>
    condition !== undefined &&
    (kept(condition.value) !== condition.value ||
      isAtEnd.test(condition.operator) ||
      /[&=]/.test(condition.value))
  return looks(url, keptPath) || looks(referer, keptReferrer)
}

/** Shown with an estimate that cannot see all that an audience uses. */
export const unkeptWords = `Addresses are kept without their query, except ${keptParameters.slice(0, -1).join(', ')} and ${keptParameters.at(-1)}. This audience may ask for more than that: in your shop its conditions hold for whole addresses, so the real number may differ.`
