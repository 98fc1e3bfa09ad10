import { type Plan } from './plans/plan.ts'
import { type PlanLevelName, planLevels } from './plans/plan-level.ts'
import type { StoreFeature } from './stores/store.ts'

/**
 * What decides which features a store may use. `plan` is undefined when the subscription has
 * lapsed.
 */
export type Access = { plan: Pick<Plan, 'level'> | undefined; features: readonly StoreFeature[] }

type Rule = {
  /** The name, as a sentence begins with it. */
  words: string
  /** One sentence for merchants: what the feature does. */
  what: string
  /** The lowest plan level that opens it. Without it, no plan level does. */
  from?: PlanLevelName
  /** Whether the Grandfathered plan opens it: always, or only together with `flag`. */
  grandfathered?: 'always' | 'withFlag'
  /** The store's feature flag that opens it under any plan, except where `flagIsNotEnough`. */
  flag?: StoreFeature
  /** The flag opens nothing without a plan that does. */
  flagIsNotEnough?: true
}

/** What opens each capability (requirements 16.2 to 16.12). */
const rules = {
  VisitorReporting: {
    words: 'Visitor reporting',
    what: 'It shows how new and returning visitors, and those of each country, responded to a test.',
    from: 'Advanced',
    grandfathered: 'always',
    flag: 'VisitorReporting',
  },
  CustomAudiences: {
    words: 'Custom audiences',
    what: 'They limit a test to visitors of the channels, campaigns, pages, referrers or countries you choose.',
    from: 'Advanced',
    grandfathered: 'always',
    flag: 'CustomAudiences',
  },
  LiftAssists: {
    words: 'Lift Assist',
    what: 'It reads your shop’s traffic and the results of your ended tests, and proposes what to test next.',
    from: 'Advanced',
    grandfathered: 'always',
    flag: 'LiftAssists',
  },
  SubscriptionReporting: {
    words: 'Subscription reporting',
    what: 'It shows the orders of a test that are subscriptions apart from those that are bought once.',
    from: 'Advanced',
    grandfathered: 'always',
    flag: 'SubscriptionReporting',
  },
  UrlRedirectTests: {
    words: 'URL redirect tests',
    what: 'They send half of a page’s visitors to another page of your shop and tell which of the two sells more.',
    from: 'Core',
    flag: 'UrlRedirectTests',
  },
  Ga4Integration: {
    words: 'GA4 integration',
    what: 'It sends the arm that each visitor saw to your own Google Analytics, so that you can compare the arms there.',
    from: 'Advanced',
    grandfathered: 'withFlag',
    flag: 'Ga4Integration',
    flagIsNotEnough: true,
  },
  ApiTesting: {
    words: 'API testing',
    what: 'It lets your own code ask which arm a visitor is in, and show what you built for it.',
    from: 'Advanced',
    flag: 'ApiTesting',
  },
  PriceTesting: {
    words: 'Price testing',
    what: 'It shows half of the visitors another price, which they also pay at checkout, and shows which price earns more.',
    flag: 'PriceTesting',
  },
  DomTesting: {
    words: 'Page element testing',
    what: 'It changes a text, a picture, a colour or a whole element on the pages you choose, for half of the visitors.',
    flag: 'DomTesting',
  },
  ChannelsReporting: {
    words: 'Channels reporting',
    what: 'It shows how the visitors of each channel, such as search, e-mail or social media, responded to a test.',
    from: 'Advanced',
    grandfathered: 'always',
  },
  CountrySegmentation: {
    words: 'Country segmentation',
    what: 'It narrows a report to the visitors of one country.',
    from: 'Advanced',
  },
} as const satisfies Record<string, Rule>

export type Capability = keyof typeof rules
export const capabilities = Object.keys(rules) as Capability[]

/** Whether a store's plan and flags open a capability. */
export function can(capability: Capability, { plan, features }: Access): boolean {
  const { from, grandfathered, flag, flagIsNotEnough }: Rule = rules[capability]
  const isFlagged = flag !== undefined && features.includes(flag)
  if (isFlagged && !flagIsNotEnough) return true
  if (!plan) return false
  if (plan.level === planLevels.Grandfathered)
    return grandfathered === 'always' || (grandfathered === 'withFlag' && isFlagged)
  return from !== undefined && plan.level >= planLevels[from]
}

/**
 * The number of the lowest plan level that opens a capability; null when only a flag opens it,
 * which we set.
 */
export function openingLevel(capability: Capability): number | null {
  const { from }: Rule = rules[capability]
  return from ? planLevels[from] : null
}

/** The name of the lowest plan level that opens a capability; null when only a flag does. */
export function opensWith(capability: Capability): string | null {
  const { from }: Rule = rules[capability]
  return from ?? null
}

/** A capability's name, the verb that agrees with it, and what it does. */
export function aboutCapability(capability: Capability): {
  name: string
  verb: 'is' | 'are'
  what: string
} {
  const { words, what }: Rule = rules[capability]
  return { name: words, verb: words.endsWith('s') ? 'are' : 'is', what }
}

/**
 * Says why a capability is closed and what opens it: a plan level, or support when only a flag
 * opens it (requirements 25.1).
 */
export function closedMessage(capability: Capability): string {
  const { name, verb } = aboutCapability(capability),
    level = opensWith(capability)
  return level
    ? `${name} ${verb === 'are' ? 'come' : 'comes'} with the ${level} plan and above.`
    : `${name} feature is not enabled for this store. Please contact support to enable this feature.`
}
