import { readFileSync } from 'node:fs'
import t from 'tap'
import { blockedNavigation, type BlockedReason } from '../../domain/navigation.ts'
import { startupRedirect } from '../../domain/startup.ts'
import type { StoreInfo, StoreStatus } from '../../domain/stores/store.ts'

type Store = Pick<
  StoreInfo,
  'shop' | 'status' | 'reinstall' | 'onboarded' | 'hasSubscribed' | 'planId'
>
const ready: Store = {
  shop: 'fern-and-kiln.demo-shop.test',
  status: 'installed',
  reinstall: false,
  onboarded: true,
  hasSubscribed: true,
  planId: 'core',
}
const uninstalled: Store = { ...ready, status: 'uninstalled' }
const fresh: Store = { ...ready, onboarded: false, hasSubscribed: false, planId: null }
const planned: Store = { ...ready, onboarded: false }
const noPlan = '/overlay/noplan',
  select = '/overlay/selectplan',
  gone = '/uninstalled?store=fern-and-kiln'

// One row for each rule (requirements 9.5 to 9.10) and each edge case: store, subscription,
// requested path, redirect.
const cases: [
  name: string,
  store: Store,
  subscription: StoreStatus['subscriptionStatus'],
  path: string,
  to: string | null,
][] = [
  ['ready: every page', ready, 'Active', '/', null],
  ['ready: a report', ready, 'Active', '/tests/abc', null],
  ['1 uninstalled', uninstalled, 'Active', '/', gone],
  [
    '1 uninstalled beats all others',
    { ...uninstalled, onboarded: false, planId: null },
    'Cancelled',
    '/welcome',
    gone,
  ],
  ['1 not when it is a reinstall', { ...uninstalled, reinstall: true }, 'Active', '/', null],
  ['2 onboarded on an onboarding route', ready, 'Active', '/welcome/contact', '/'],
  ['2 comes before the lockout', ready, 'Frozen', '/welcome', '/'],
  ['3 cancelled', ready, 'Cancelled', '/tests/abc', noPlan],
  ['3 expired', ready, 'Expired', '/', noPlan],
  ['3 frozen', ready, 'Frozen', '/', noPlan],
  ['3 stays where it is sent', ready, 'Frozen', noPlan, null],
  ['3 leads away from another overlay', ready, 'Frozen', select, noPlan],
  ['3 comes before 4', { ...ready, planId: null }, 'Cancelled', '/', noPlan],
  ['4 never subscribed', fresh, null, '/', select],
  ['4 first subscription pending', fresh, 'Pending', '/', select],
  ['4 first subscription declined', fresh, 'Declined', '/', select],
  ['4 a lapsed status counts only after a subscription', fresh, 'Expired', '/', select],
  ['4 stays where it is sent', fresh, null, select, null],
  ['4 all plans by link', fresh, null, '/overlay/select-secret-all-plans', null],
  ['4 comes before 5', fresh, null, '/welcome', select],
  ['5 planned, not onboarded', planned, 'Active', '/', '/welcome'],
  ['5 stays among the onboarding routes', planned, 'Active', '/welcome/choose-industry', null],
  ['5 leads away from an overlay', planned, 'Active', select, '/welcome'],
  ['6 active on an overlay', ready, 'Active', select, '/'],
  ['6 active on the lockout', ready, 'Active', noPlan, '/'],
  ['a path that only begins like one', ready, 'Active', '/welcomes', null],
]
for (const [name, store, subscriptionStatus, path, to] of cases)
  t.equal(startupRedirect({ store, status: { subscriptionStatus }, path })?.to ?? null, to, name)

t.equal(
  startupRedirect({ store: ready, status: { subscriptionStatus: 'Frozen' }, path: '/' })
    ?.isLockedOut,
  true,
  'the merchant is locked out',
)
t.equal(
  startupRedirect({ store: fresh, status: { subscriptionStatus: null }, path: '/' })?.isLockedOut,
  undefined,
  'a store without a plan is not locked out',
)

// Every state of a store on every kind of page, and from every page to every other.
const { pages, startup, navigation } = JSON.parse(
  readFileSync('test/cases/startup.json', 'utf8'),
) as Cases
type Cases = {
  pages: Record<string, string>
  startup: { store: boolean[]; to: Record<string, string | null> }[]
  navigation: {
    store: boolean[]
    previous: string | null
    blocked: Record<string, BlockedReason>
  }[]
}
const storeOf = ([uninstalled, reinstall, onboarded, subscribed, planned]: boolean[]) => ({
  store: {
    ...ready,
    status: uninstalled ? ('uninstalled' as const) : ('installed' as const),
    reinstall: reinstall!,
    onboarded: onboarded!,
    planId: planned ? 'core' : null,
  },
  status: { subscriptionStatus: subscribed ? ('Active' as const) : ('Cancelled' as const) },
})
t.equal(new Set(startup.map(({ store }) => String(store))).size, 32, 'all states are in the file')
for (const { store, to } of startup)
  for (const [page, path] of Object.entries(pages)) {
    const answer = startupRedirect({ ...storeOf(store), path })
    t.equal(answer?.to ?? null, to[page], `${store} on ${page}`)
    t.equal(
      answer?.isLockedOut ?? false,
      to[page] === '/overlay/noplan',
      'the merchant is locked out where the redirect leads to the overlay',
    )
  }

t.equal(
  new Set(navigation.map(({ store, previous }) => `${store} ${previous}`)).size,
  8 * 7,
  'all states on all pages are in the file',
)
const back: Record<BlockedReason, string> = {
  onboarded: '/',
  selectplan: '/overlay/selectplan',
  noplan: '/overlay/noplan',
}
for (const { store, previous, blocked } of navigation)
  for (const [page, path] of Object.entries(pages)) {
    const reason = blocked[page] ?? null
    t.same(
      blockedNavigation({
        ...storeOf([false, false, ...store]),
        path,
        previous: previous && pages[previous]!,
      }),
      reason && { to: back[reason], reason },
      `${store} from ${previous} to ${page}`,
    )
  }
t.equal(
  blockedNavigation({
    ...storeOf([false, false, false, true, false]),
    path: '/overlay/selectplan/choose',
    previous: '/overlay/selectplan',
  }),
  null,
  'an act on the page is no navigation',
)

// A browser that follows the redirects (and always sends the same previous page) stops after fewer
// than four steps.
for (const {
  store: [onboarded, subscribed, planned],
  previous,
} of navigation)
  for (const start of Object.values(pages)) {
    const store = storeOf([false, false, onboarded!, subscribed!, planned!])
    let path = start,
      steps = 0
    for (; steps < 5; steps++) {
      const to =
        blockedNavigation({ ...store, path, previous: previous && pages[previous]! })?.to ??
        startupRedirect({ ...store, path })?.to
      if (to === undefined) break
      path = to
    }
    t.ok(
      steps < 4,
      `${onboarded} ${subscribed} ${planned}: from ${previous} to ${start} ends at ${path}`,
    )
  }
