import t from 'tap'
import { startupRedirect } from '../../domain/startup.ts'
import type { StoreInfo, StoreStatus } from '../../domain/store.ts'

type Store = Pick<StoreInfo, 'shop' | 'status' | 'reinstall' | 'onboarded' | 'hasSubscribed' | 'planId'>
const ready: Store = { shop: 'fern-and-kiln.demo-shop.test', status: 'installed', reinstall: false, onboarded: true, hasSubscribed: true, planId: 'core' }
const uninstalled: Store = { ...ready, status: 'uninstalled' }
const fresh: Store = { ...ready, onboarded: false, hasSubscribed: false, planId: null }
const planned: Store = { ...ready, onboarded: false }
const noPlan = '/overlay/noplan', select = '/overlay/selectplan', gone = '/uninstalled?store=fern-and-kiln'

// One row a rule of spec §4 and its edges: store, subscription, asked path, where it leads.
const cases: [name: string, store: Store, subscription: StoreStatus['subscriptionStatus'], path: string, to: string | null][] = [
  ['ready: every page', ready, 'Active', '/', null],
  ['ready: a report', ready, 'Active', '/tests/abc', null],
  ['1 uninstalled', uninstalled, 'Active', '/', gone],
  ['1 uninstalled beats all others', { ...uninstalled, onboarded: false, planId: null }, 'Cancelled', '/welcome', gone],
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

t.equal(startupRedirect({ store: ready, status: { subscriptionStatus: 'Frozen' }, path: '/' })?.isLockedOut, true, 'the lockout is on')
t.equal(startupRedirect({ store: fresh, status: { subscriptionStatus: null }, path: '/' })?.isLockedOut, undefined, 'and off without a plan')
