import { below, isOnboarding } from './routes.ts'
import { isLockedOut, type Startup } from './startup.ts'

/** The reason why a navigation was blocked, and what the page says about it. */
export const blockedReasons = {
  onboarded: 'Your store is set up already, so there is nothing left to answer there.',
  selectplan: 'Choose a plan first. Everything else opens after that.',
  noplan: 'Your subscription is not active. Until it is, you can only open this page.',
} as const
export type BlockedReason = keyof typeof blockedReasons

export type Navigation = Startup & {
  /** The app's page that the merchant comes from, without its query; null on arrival. */
  previous: string | null
}

/**
 * Checks the three blocked navigations, in this order (requirements 3.3 to 3.5). "Blocked" means
 * that the server redirects to the page where the store must be, with the reason. When a plan was
 * chosen meanwhile, in another window or at the platform, the store may leave /overlay/selectplan.
 * Null when the navigation is not blocked; the startup redirects are checked after that.
 */
export function blockedNavigation(
  navigation: Navigation,
): { to: string; reason: BlockedReason } | null {
  const { store, path, previous } = navigation
  if (previous === null) return null
  if (store.onboarded && isOnboarding(path)) return { to: '/', reason: 'onboarded' }
  // A store that is locked out must go to /overlay/noplan instead (below).
  if (
    previous === '/overlay/selectplan' &&
    !below(path, previous) &&
    store.planId === null &&
    !isLockedOut(navigation)
  )
    return { to: '/overlay/selectplan', reason: 'selectplan' }
  if (isLockedOut(navigation) && !below(path, '/overlay/noplan'))
    return { to: '/overlay/noplan', reason: 'noplan' }
  return null
}
