import { planLevelName, planLevels, type Plan } from './plan.ts'
import type { StoreFeature } from './store.ts'

/** What a store may do by. A lapsed subscription opens nothing: its plan is left out. */
export type Access = { plan: Pick<Plan, 'level'> | undefined; features: readonly StoreFeature[] }

type Rule = {
  /** As a sentence begins with it. */
  words: string
  /** This level and those above it. */
  from?: keyof typeof planLevels
  grandfathered?: 'always' | 'withFlag'
  /** Opens it whatever the plan; for Grandfathered `withFlag`, what that needs. */
  flag?: StoreFeature
  /** The flag alone counts for nothing without the plan. */
  flagIsNotEnough?: true
}

/** The table of spec §6; country segmentation by the tiers below it. */
const rules = {
  VisitorReporting: { words: 'Visitor reporting', from: 'Advanced', grandfathered: 'always', flag: 'VisitorReporting' },
  CustomAudiences: { words: 'Custom audiences', from: 'Advanced', grandfathered: 'always', flag: 'CustomAudiences' },
  LiftAssists: { words: 'Lift Assist', from: 'Advanced', grandfathered: 'always', flag: 'LiftAssists' },
  SubscriptionReporting: { words: 'Subscription reporting', from: 'Advanced', grandfathered: 'always', flag: 'SubscriptionReporting' },
  UrlRedirectTests: { words: 'URL redirect tests', from: 'Core', flag: 'UrlRedirectTests' },
  Ga4Integration: { words: 'GA4 integration', from: 'Advanced', grandfathered: 'withFlag', flag: 'Ga4Integration', flagIsNotEnough: true },
  ApiTesting: { words: 'API testing', from: 'Advanced', flag: 'ApiTesting' },
  PriceTesting: { words: 'Price testing', flag: 'PriceTesting' },
  DomTesting: { words: 'Page element testing', flag: 'DomTesting' },
  ChannelsReporting: { words: 'Channels reporting', from: 'Advanced', grandfathered: 'always' },
  CountrySegmentation: { words: 'Country segmentation', from: 'Advanced' },
} as const satisfies Record<string, Rule>

export type Capability = keyof typeof rules
export const capabilities = Object.keys(rules) as Capability[]

/** Whether a store's plan and flags open a capability (spec §6). */
export function can(capability: Capability, { plan, features }: Access): boolean {
  const { from, grandfathered, flag, flagIsNotEnough }: Rule = rules[capability]
  const isFlagged = flag !== undefined && features.includes(flag)
  if (isFlagged && !flagIsNotEnough) return true
  if (!plan) return false
  if (plan.level === planLevels.Grandfathered) return grandfathered === 'always' || (grandfathered === 'withFlag' && isFlagged)
  return from !== undefined && plan.level >= planLevels[from]
}

/** Why not, and what would open it. What goes by flag alone is opened by support (spec §8). */
export function closedMessage(capability: Capability): string {
  const { words, from }: Rule = rules[capability]
  return from ? `${words} ${words.endsWith('s') ? 'come' : 'comes'} with the ${planLevelName(planLevels[from])} plan and above.`
    : `${words} feature is not enabled for this store. Please contact support to enable this feature.`
}
