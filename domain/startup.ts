import { paths } from './paths.ts'
import { below, isOnboarding, isOverlay } from './routes.ts'
import type { StoreInfo, StoreStatus } from './stores/store.ts'
import { hasLapsed } from './stores/store-subscription.ts'

/** Where a store that is not ready for the asked page is sent at startup; `isLockedOut` while it has no plan to work under. */
export type StartupRedirect = { to: string; isLockedOut?: true }

export type Startup = {
  store: Pick<StoreInfo, 'shop' | 'status' | 'reinstall' | 'onboarded' | 'hasSubscribed' | 'planId'>
  status: Pick<StoreStatus, 'subscriptionStatus'>
  /** Path of the asked page, without its query. */
  path: string
}

/** "Not subscribed": had a subscription and lost it. A store that never had one has no plan instead. The no-plan lockout is on. */
export const isLockedOut = ({ store, status }: Pick<Startup, 'store' | 'status'>): boolean =>
  hasLapsed({ ...status, hasSubscribed: store.hasSubscribed })

/** Startup redirects, in this order: the first that applies decides (requirements 9.5 to 9.11). */
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

/** Null when the page may be shown. A rule that applies to a store already where it is sent lets it stay there. */
export function startupRedirect(startup: Startup): StartupRedirect | null {
  const rule = rules.find(([, applies]) => applies(startup))
  if (!rule) return null
  const [to, , pages] = rule
  if (pages(startup.path)) return null
  if (to === '/uninstalled') return { to: paths.uninstalled(shopName(startup.store.shop)) }
  return to === '/overlay/noplan' ? { to, isLockedOut: true } : { to }
}

/** "fern-and-kiln" of "fern-and-kiln.demo-shop.test": the shop's name without its platform's suffix. */
export const shopName = (shop: string): string => shop.split('.', 1)[0]!
