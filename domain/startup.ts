import type { StoreInfo, StoreStatus } from './store.ts'

/** Where a store that is not ready for the asked page is sent at startup; `isLockedOut` while it has no plan to work under. */
export type StartupRedirect = { to: string; isLockedOut?: true }

type Startup = {
  store: Pick<StoreInfo, 'shop' | 'status' | 'reinstall' | 'onboarded' | 'hasSubscribed' | 'planId'>
  status: Pick<StoreStatus, 'subscriptionStatus'>
  /** Path of the asked page, without its query. */
  path: string
}
const at = (path: string, route: string) => path === route || path.startsWith(`${route}/`)
const isOnboarding = (path: string) => at(path, '/welcome')
const isOverlay = (path: string) => at(path, '/overlay')

/** Had a subscription and lost it. A store that never had one, or whose first is pending or declined, has no plan instead. */
const hasLapsed = ({ store, status: { subscriptionStatus: s } }: Startup) =>
  store.hasSubscribed && (s === 'Cancelled' || s === 'Expired' || s === 'Frozen')

/** Startup redirects of spec §4 in its own order: the first that applies decides. */
const rules: [to: string, applies: (startup: Startup) => boolean, pages: (path: string) => boolean][] = [
  ['/uninstalled', ({ store }) => store.status === 'uninstalled' && !store.reinstall, path => at(path, '/uninstalled')],
  ['/', ({ store, path }) => store.onboarded && isOnboarding(path), () => false],
  ['/overlay/noplan', hasLapsed, path => at(path, '/overlay/noplan')],
  ['/overlay/selectplan', ({ store }) => store.planId === null, path => at(path, '/overlay/selectplan') || at(path, '/overlay/select-secret-all-plans')],
  ['/welcome', ({ store }) => !store.onboarded, isOnboarding],
  ['/', ({ path }) => isOverlay(path), () => false],
]

/** Null when the page may be shown. A rule that applies to a store already where it is sent lets it stay there. */
export function startupRedirect(startup: Startup): StartupRedirect | null {
  const rule = rules.find(([, applies]) => applies(startup))
  if (!rule) return null
  const [to, , pages] = rule
  if (pages(startup.path)) return null
  if (to === '/uninstalled') return { to: `${to}?store=${encodeURIComponent(shopName(startup.store.shop))}` }
  return to === '/overlay/noplan' ? { to, isLockedOut: true } : { to }
}

/** "fern-and-kiln" of "fern-and-kiln.demo-shop.test": the shop's name without its platform's suffix. */
export const shopName = (shop: string): string => shop.split('.', 1)[0]!
