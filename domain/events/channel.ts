import { categoryOf } from './channel-sources.ts'

/**
 * Where a visit came from, by the public rules of Google Analytics' default channel group for
 * manual traffic (support.google.com/analytics/answer/9756891): the first match wins, case does not
 * matter. Google has eighteen groups.
 * The ten that shops talk about have a name here; the others (shopping sites, video, audio, SMS,
 * push, unassigned) are `other`. A visitor's row keeps the index, so add new channels at the end.
 */
export const channels = [
  'direct',
  'organicSearch',
  'paidSearch',
  'organicSocial',
  'paidSocial',
  'email',
  'affiliate',
  'referral',
  'display',
  'other',
] as const
export type Channel = (typeof channels)[number]
export const channelLabels: Record<Channel, string> = {
  direct: 'Direct',
  organicSearch: 'Organic search',
  paidSearch: 'Paid search',
  organicSocial: 'Organic social',
  paidSocial: 'Paid social',
  email: 'Email',
  affiliate: 'Affiliate',
  referral: 'Referral',
  display: 'Display',
  other: 'Other',
}

/** All in lower case, because the rules compare lower case. */
export type TrafficSource = { source: string; medium: string; campaign: string }

const none = { source: '(direct)', medium: '(none)', campaign: '' } as const
const notSet = '(not set)'
/**
 * Parameters that advertising networks add to the address of a landing page, and the source that
 * each means when there are no UTM parameters.
 */
const clickIds: [parameter: string, source: string][] = [
  ['gclid', 'google'],
  ['gbraid', 'google'],
  ['wbraid', 'google'],
  ['msclkid', 'bing'],
]

/**
 * The host that linked to the shop, without "www."; empty when there is none or it is one of the
 * shop's own.
 */
export function referrerHost(referrer: string, ownHosts: ReadonlySet<string>): string {
  let host: string
  try {
    host = new URL(referrer).hostname.toLowerCase()
  } catch {
    return ''
  }
  return ownHosts.has(host) || !/^[\w.-]+$/.test(host)
    ? ''
    : host.replace(/^www\./, '').slice(0, 255)
}

/**
 * Maximum length of a source, medium or campaign in characters, the same as of a host. The rules
 * below take time that grows with the square of the length, and a visitor can send any length.
 */
const longest = 255

/**
 * The source, medium and campaign of a session, from its first page and the host that linked to it.
 */
export function trafficSource(landing: string, host: string): TrafficSource {
  const query = landing.includes('?')
    ? new URLSearchParams(landing.slice(landing.indexOf('?') + 1).split('#', 1)[0])
    : null
  const of = (name: string) => query?.get(name)?.trim().slice(0, longest).toLowerCase() ?? ''
  const [source, medium, campaign] = [of('utm_source'), of('utm_medium'), of('utm_campaign')]
  if (source || medium) return { source: source || notSet, medium: medium || notSet, campaign }
  const clicked = clickIds.find(([parameter]) => of(parameter))
  if (clicked) return { source: clicked[1], medium: 'cpc', campaign }
  if (!host) return { ...none, campaign }
  return { source: host, medium: categoryOf(host) === 'search' ? 'organic' : 'referral', campaign }
}

const isPaid = ({ medium }: TrafficSource) => /^(.*cp.*|ppc|retargeting|paid.*)$/.test(medium)
const isShopping = ({ source, campaign }: TrafficSource) =>
  categoryOf(source) === 'shopping' || /^(.*(([^a-df-z]|^)shop|shopping).*)$/.test(campaign)
const isFrom =
  (category: ReturnType<typeof categoryOf>) =>
  ({ source }: TrafficSource) =>
    categoryOf(source) === category
const isMail = (text: string) => /^e[-_ ]?mail$/.test(text)

/** The rules in their published order; `channelRuleNames` has their published names. */
export const channelRules: readonly [
  channel: Channel,
  applies: (from: TrafficSource) => boolean,
][] = [
  ['direct', from => from.source === none.source && [none.medium, notSet].includes(from.medium)],
  ['other', from => from.campaign.includes('cross-network')],
  ['other', from => isShopping(from) && isPaid(from)],
  ['paidSearch', from => isFrom('search')(from) && isPaid(from)],
  ['paidSocial', from => isFrom('social')(from) && isPaid(from)],
  ['other', from => isFrom('video')(from) && isPaid(from)],
  ['display', from => /^(display|banner|expandable|interstitial|cpm)$/.test(from.medium)],
  ['other', isPaid],
  ['other', isShopping],
  [
    'organicSocial',
    from => isFrom('social')(from) || /^(social([- ](network|media))?|sm)$/.test(from.medium),
  ],
  ['other', from => isFrom('video')(from) || from.medium.includes('video')],
  ['organicSearch', from => isFrom('search')(from) || from.medium === 'organic'],
  ['referral', from => /^(referral|app|link)$/.test(from.medium)],
  ['email', from => isMail(from.source) || isMail(from.medium)],
  ['affiliate', from => /^affiliates?$/.test(from.medium)],
]

/** The names of the rules. Not beside the rules, because the shopper's script has them too. */
export const channelRuleNames = [
  'Direct',
  'Cross-network',
  'Paid Shopping',
  'Paid Search',
  'Paid Social',
  'Paid Video',
  'Display',
  'Paid Other',
  'Organic Shopping',
  'Organic Social',
  'Organic Video',
  'Organic Search',
  'Referral',
  'Email',
  'Affiliates',
]

export const channelOf = (from: TrafficSource): Channel =>
  channelRules.find(([, applies]) => applies(from))?.[0] ?? 'other'
