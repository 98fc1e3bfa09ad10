import { paths } from './paths.ts'
import { below, isOnboarding, isOverlay } from './routes.ts'
import type { StoreInfo, StoreStatus } from './stores/store.ts'
import { hasLapsed } from './stores/store-subscription.ts'

/**
 * Where a store is sent at startup when it is not ready for the requested page. `isLockedOut`: its
 * subscription has lapsed.
 */
export type StartupRedirect = { to: string; isLockedOut?: true }

export type Startup = {
  store: Pick<StoreInfo, 'shop' | 'status' | 'reinstall' | 'onboarded' | 'hasSubscribed' | 'planId'>
  status: Pick<StoreStatus, 'subscriptionStatus'>
  /** Path of the requested page, without its query. */
  path: string
}

/**
 * Whether the no-plan lockout applies: the store had a subscription and lost it ("not subscribed").
 * A store that never had one has no plan instead.
 */
export const isLockedOut = ({ store, status }: Pick<Startup, 'store' | 'status'>): boolean =>
  hasLapsed({ ...status, hasSubscribed: store.hasSubscribed })

/**
 * Startup redirects, in this order: the first that applies decides (requirements 9.5 to 9.11).
 * `pages`: paths that such a store may open.
 */
const rules: [
  to: string,
  applies: (startup: Startup) => boolean,
  pages: (path: string) => boolean,
][] = [
  [
    '/uninstalled',
    ({ store }) => store.status === 'uninstalled' && !store.reinstall,
    path => path === '/uninstalled',
  ],
  ['/', ({ store, path }) => store.onboarded && isOnboarding(path), () => false],
  ['/overlay/noplan', isLockedOut, path => below(path, '/overlay/noplan')],
  [
    '/overlay/selectplan',
    ({ store }) => store.planId === null,
    path => below(path, '/overlay/selectplan') || below(path, '/overlay/select-secret-all-plans'),
  ],
  ['/welcome', ({ store }) => !store.onboarded, isOnboarding],
  ['/', ({ path }) => isOverlay(path), () => false],
]

/**
 * The redirect for a store at startup. Null when the page may be shown, also because the store is
 * already where the rule sends it.
 */
export function startupRedirect(startup: Startup): StartupRedirect | null {
  const rule = rules.find(([, applies]) => applies(startup))
  if (!rule) return null
  const [to, , pages] = rule
  if (pages(startup.path)) return null
  if (to === '/uninstalled') return { to: paths.uninstalled(shopName(startup.store.shop)) }
  return to === '/overlay/noplan' ? { to, isLockedOut: true } : { to }
}

/**
 * "fern-and-kiln.example.com" → "fern-and-kiln": the shop's name without its platform's suffix.
 */
export const shopName = (shop: string): string => shop.split('.', 1)[0]!
