import { below, isOnboarding } from './routes.ts'
import { isLockedOut, type Startup } from './startup.ts'

/** Why the store is back where it was; the words are what the page says. */
export const blockedReasons = {
  onboarded: 'Your store is set up already, so there is nothing left to answer there.',
  selectplan: 'Choose a plan first. Everything else opens after that.',
  noplan: 'Your subscription is not active. Until it is, you can only open this page.',
} as const
export type BlockedReason = keyof typeof blockedReasons

export type Navigation = Startup & {
  /** The page of ours it was asked from, without its query; null on arrival. */
  previous: string | null
}

/**
 * The three blocked navigations, in this order (requirements 3.3 to 3.5). On the server "blocked" means: back to where the store must
 * be, with the reason. A plan that was chosen meanwhile, in another window or at the platform, lets the store leave
 * /overlay/selectplan. Null when the navigation is not blocked; the startup redirects come after.
 */
export function blockedNavigation(
  navigation: Navigation,
): { to: string; reason: BlockedReason } | null {
  const { store, path, previous } = navigation
  if (previous === null) return null
  if (store.onboarded && isOnboarding(path)) return { to: '/', reason: 'onboarded' }
  // Who is locked out must be elsewhere, whatever page that began at.
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
