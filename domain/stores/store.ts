import * as Type from 'typebox'
import { consentRuleNames } from '../events/consent.ts'

const MaybeInstant = Type.Union([Type.String(), Type.Null()])
const Text = Type.Union([Type.String(), Type.Null()])

/** Feature flags that the store info's `features` may carry (requirements 7.2). */
export const storeFeatures = [
  'VisitorReporting',
  'CustomAudiences',
  'LiftAssists',
  'SubscriptionReporting',
  'UrlRedirectTests',
  'Ga4Integration',
  'ApiTesting',
  'PriceTesting',
  'DomTesting',
] as const
export const featureFlags = [
  'InstallScript',
  'UseOldInlineScript',
  'SkipOptionalScopes',
  'DebugScriptLogging',
  'IgnoreTestViewParameterEnforce',
  'DisableReferrerOverride',
  ...storeFeatures,
] as const
export type StoreFeature = (typeof storeFeatures)[number]

export const subscriptionStatuses = [
  'Active',
  'Cancelled',
  'Declined',
  'Expired',
  'Frozen',
  'Pending',
  'Accepted',
] as const
export type SubscriptionStatus = (typeof subscriptionStatuses)[number]
/** Maximum length of a store's name, in characters. */
export const storeNameLength = 100
export const storeStates = ['installed', 'uninstalled'] as const

export const StoreInfo = Type.Object({
  id: Type.String(),
  shop: Type.String(),
  domain: Type.String(),
  name: Type.String(),
  createdAt: Type.String(),
  updatedAt: Type.String(),
  industry: Text,
  teamSize: Text,
  testingExperience: Text,
  source: Text,
  onboarded: Type.Boolean(),
  reinstall: Type.Boolean(),
  hasSubscribed: Type.Boolean(),
  status: Type.Enum([...storeStates]),
  /** Kept after the subscription has ended, so that we can still name the last plan. */
  planId: Text,
  /** Whether the free trial is running. */
  trial: Type.Boolean(),
  /** The shop's live theme. */
  themeId: Text,
  segmentStatus: Text,
  email: Text,
  phone: Text,
  currency: Type.String(),
  timeZone: Type.String(),
  /** The rule for which visitors are counted. */
  consentRule: Type.Enum(consentRuleNames),
  features: Type.Array(Type.Enum([...storeFeatures])),
  storeInitials: Type.String(),
  /**
   * True for a store that was filled with simulated shoppers on the first start. Screens say so.
   */
  isDemo: Type.Boolean(),
})
export type StoreInfo = Type.Static<typeof StoreInfo>

export const StoreStatus = Type.Object({
  /**
   * End of the paid time: in the future while the subscription is active, in the past after it has
   * ended.
   */
  currentSubscriptionEnd: Type.Optional(MaybeInstant),
  nextBill: MaybeInstant,
  usageReset: MaybeInstant,
  trialEnd: MaybeInstant,
  /** All visitors of the shop in this cycle, whether in a test or not, and the plan's limit. */
  sessions: Type.Integer(),
  sessionLimit: Type.Integer(),
  pendingPlan: Text,
  subscriptionStatus: Type.Union([Type.Enum([...subscriptionStatuses]), Type.Null()]),
})
export type StoreStatus = Type.Static<typeof StoreStatus>

/**
 * "Fern & Kiln" → "FK": the first letters or digits of the first two words. "?" when there are
 * none.
 */
export function storeInitials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  return (
    words
      .slice(0, 2)
      .map(w => w[0]!.toUpperCase())
      .join('') || '?'
  )
}

/** Sessions divided by the limit, as a fraction, which may be above 1 (requirements 5.11). */
export const sessionUsage = (status: Pick<StoreStatus, 'sessions' | 'sessionLimit'>): number =>
  status.sessionLimit > 0 ? status.sessions / status.sessionLimit : 0
