import { featureFlags } from './stores/store.ts'

export type FeatureFlag = (typeof featureFlags)[number]
type Words = {
  label: string
  /** One sentence: what the flag does when it is on. */
  effect: string
  group: 'feature' | 'script'
}

/** The words that staff see beside each flag (requirements 7.3). */
export const flagWords: Record<FeatureFlag, Words> = {
  VisitorReporting: {
    label: 'Visitor reporting',
    effect: 'Opens it on any plan.',
    group: 'feature',
  },
  CustomAudiences: {
    label: 'Custom audiences',
    effect: 'Opens them on any plan.',
    group: 'feature',
  },
  LiftAssists: { label: 'Lift Assist', effect: 'Opens it on any plan.', group: 'feature' },
  SubscriptionReporting: {
    label: 'Subscription reporting',
    effect: 'Opens it on any plan.',
    group: 'feature',
  },
  UrlRedirectTests: {
    label: 'URL redirect tests',
    effect: 'Opens them on any plan.',
    group: 'feature',
  },
  Ga4Integration: {
    label: 'GA4 integration',
    effect: 'Opens it on a Grandfathered plan; other plans go by their level.',
    group: 'feature',
  },
  ApiTesting: { label: 'API testing', effect: 'Opens it on any plan.', group: 'feature' },
  PriceTesting: { label: 'Price testing', effect: 'Opens it; no plan does.', group: 'feature' },
  DomTesting: {
    label: 'Page element testing',
    effect: 'Opens it; no plan does.',
    group: 'feature',
  },
  InstallScript: {
    label: 'Install script',
    effect:
      'Puts the script on the shop again when it is switched on, for a shop that has lost it. Switching it off changes nothing.',
    group: 'script',
  },
  DebugScriptLogging: {
    label: 'Debug script logging',
    effect: 'The script tells the browser’s console which arm it gives, and what it does.',
    group: 'script',
  },
  DisableReferrerOverride: {
    label: 'Disable referrer override',
    effect:
      'After a redirect, the page’s referrer is the page that redirected the visitor, not the site that the visitor came from.',
    group: 'script',
  },
  UseOldInlineScript: {
    label: 'Use old inline script',
    effect:
      'Puts the script into every page instead of a separate file, for shops that block the file. If the shop has a strict content security policy, the script then does not run.',
    group: 'script',
  },
  SkipOptionalScopes: {
    label: 'Skip optional scopes',
    effect:
      'The script reads no referrer. Then only the address of the first page tells where a visit came from.',
    group: 'script',
  },
  IgnoreTestViewParameterEnforce: {
    label: 'Ignore test view parameter',
    effect:
      'Visitors who open the address of the other arm’s template stay there and are not counted. Without this flag they are sent to their own arm.',
    group: 'script',
  },
}
export const flagGroups = { feature: 'Features', script: 'Script' } as const
export const flagsOf = (group: Words['group']): FeatureFlag[] =>
  featureFlags.filter(flag => flagWords[flag].group === group)

/**
 * Whether a change of these flags publishes the shop's script again. `InstallScript` is an act: it
 * says nothing to the script, so only switching it on does something (decision 056).
 */
export const publishesScript = (on: readonly FeatureFlag[], off: readonly FeatureFlag[]): boolean =>
  [...on, ...off.filter(flag => flag !== 'InstallScript')].some(
    flag => flagWords[flag].group === 'script',
  )

/**
 * The flags after a change, in the order of `featureFlags`. Flags in neither list keep their state,
 * so changes that others made meanwhile stay.
 */
export function changedFlags(
  flags: readonly string[],
  { on, off }: { on: readonly FeatureFlag[]; off: readonly FeatureFlag[] },
): FeatureFlag[] {
  return featureFlags.filter(
    flag => on.includes(flag) || (flags.includes(flag) && !off.includes(flag)),
  )
}
