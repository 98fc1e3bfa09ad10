import type { Capability } from './access.ts'
import { partTabs } from './reports/report-tab.ts'

/** Who may see a page: `any` in every state, so that an error never loops. */
export type Guard = 'guest' | 'any' | 'store' | 'admin'
/** `dashboard`: navigation beside the content; `fullscreen`: the top bar alone; `none`: the page and nothing else. */
export type Layout = 'dashboard' | 'fullscreen' | 'none'
/** Of the side navigation. */
export type Section = 'tests' | 'recommendations' | 'settings'

export type Route = {
  /** As analytics calls the page. */
  name: string
  path: string
  guard: Guard
  layout: Layout
  /** Shown as "title | product"; a page that shows one thing of many says that thing's own. */
  title: string
  section?: Section
  /** Where it always leads. */
  redirects?: string
  /** Side navigation folded to icons, and no padding around the content. */
  rail?: true
  /** A tab of the report that is closed without it; it then says what it is and what opens it. */
  needs?: Capability
  /** Stylesheet of its own, in public/sheets/, beside the common one. */
  sheet?: string
  /** May be shown in no frame at all: staff's pages and signing in there. */
  unframed?: true
}

type Meta = Omit<Route, 'name' | 'path' | 'guard' | 'title'>
const dashboard = (section: Section, more: Partial<Meta> = {}): Meta => ({
  layout: 'dashboard',
  section,
  ...more,
})
const fullscreen = (more: Partial<Meta> = {}): Meta => ({ layout: 'fullscreen', ...more })
const none = (more: Partial<Meta> = {}): Meta => ({ layout: 'none', ...more })
const report: Meta = dashboard('tests', { sheet: 'report' })
const staff: Meta = { layout: 'dashboard', sheet: 'staff', unframed: true }

type Row = [name: string, path: string, guard: Guard, title: string, meta: Meta]
const rows: Row[] = [
  ['auth-missing', '/auth-missing', 'guest', 'Signed out', none()],
  ['error', '/error', 'any', 'Error', none()],
  ['design', '/devTest/design', 'store', 'Design system', fullscreen({ sheet: 'design' })],
  ['select-plan', '/overlay/selectplan', 'store', 'Choose a plan', fullscreen({ sheet: 'plans' })],
  ['no-plan', '/overlay/noplan', 'store', 'No plan', fullscreen({ sheet: 'plans' })],
  [
    'all-plans',
    '/overlay/select-secret-all-plans',
    'store',
    'All plans',
    fullscreen({ sheet: 'plans' }),
  ],
  ['dashboard', '/', 'store', 'Tests', dashboard('tests')],
  [
    'import-brand-styles',
    '/import-brand-styles',
    'store',
    'Import brand styles',
    fullscreen({ sheet: 'brand' }),
  ],
  [
    'review-brand-styles',
    '/import-brand-styles/review',
    'store',
    'Review brand styles',
    fullscreen({ sheet: 'brand' }),
  ],
  [
    'edit-brand-style',
    '/import-brand-styles/edit/:pattern?',
    'store',
    'Edit brand style',
    fullscreen({ sheet: 'brand' }),
  ],
  [
    'draft',
    '/tests/draft/edit/:draftId?',
    'store',
    'Create a test',
    dashboard('tests', { rail: true, sheet: 'editor' }),
  ],
  ['test-list', '/tests/list/:listTab', 'store', 'Tests', dashboard('tests')],
  ['tests', '/tests', 'store', 'Tests', dashboard('tests', { redirects: '/' })],
  ['report', '/tests/:testId', 'store', 'Report', report],
  ['report-overview', '/tests/:testId/overview', 'store', 'Report', report],
  ...partTabs.map(({ name, label, access }): Row => [
    `report-${name}`,
    `/tests/:testId/${name}`,
    'store',
    label,
    { ...report, ...(access && { needs: access }) },
  ]),
  [
    'recommendations',
    '/recommendations',
    'store',
    'Lift Assist',
    dashboard('recommendations', { sheet: 'lift-assist' }),
  ],
  [
    'settings',
    '/settings',
    'store',
    'Settings',
    dashboard('settings', { redirects: '/settings/account' }),
  ],
  ['settings-account', '/settings/account', 'store', 'My account', dashboard('settings')],
  [
    'settings-notifications',
    '/settings/notifications',
    'store',
    'Notifications',
    dashboard('settings'),
  ],
  [
    'settings-billing',
    '/settings/billing',
    'store',
    'Plan & Billing',
    dashboard('settings', { sheet: 'plans' }),
  ],
  ['settings-support', '/settings/support', 'store', 'Support', dashboard('settings')],
  [
    'settings-brand-styles',
    '/settings/brand-styles',
    'store',
    'Brand styles',
    dashboard('settings', { sheet: 'brand' }),
  ],
  ['settings-preferences', '/settings/preferences', 'store', 'Preferences', dashboard('settings')],
  [
    'settings-integrations',
    '/settings/integrations',
    'store',
    'Integrations',
    dashboard('settings'),
  ],
  [
    'settings-uninstall',
    '/settings/uninstall',
    'store',
    'Uninstall',
    dashboard('settings', { sheet: 'uninstall' }),
  ],
  ['uninstalling', '/uninstalling', 'store', 'Uninstalling', fullscreen({ sheet: 'uninstall' })],
  ['uninstalled', '/uninstalled', 'guest', 'Uninstalled', none({ sheet: 'uninstall' })],
  ['welcome', '/welcome', 'store', 'Welcome', fullscreen({ sheet: 'welcome' })],
  ['welcome-contact', '/welcome/contact', 'store', 'Your store', fullscreen({ sheet: 'welcome' })],
  [
    'welcome-industry',
    '/welcome/choose-industry',
    'store',
    'What you sell',
    fullscreen({ sheet: 'welcome' }),
  ],
  [
    'welcome-last',
    '/welcome/last-question',
    'store',
    'Last question',
    fullscreen({ sheet: 'welcome' }),
  ],
  ['login', '/login', 'guest', 'Sign in', none({ sheet: 'sign-in', unframed: true })],
  ['reset', '/reset', 'guest', 'Set a password', none({ sheet: 'sign-in', unframed: true })],
  ['admin', '/admin', 'admin', 'Overview', staff],
  ['admin-add-user', '/admin/add-user', 'admin', 'Add a user', staff],
  ['admin-users', '/admin/users', 'admin', 'Users', staff],
  ['admin-user', '/admin/users/:id', 'admin', 'User', staff],
  ['admin-features', '/admin/stores/features', 'admin', 'Feature flags', staff],
  ['admin-trials', '/admin/stores/trials', 'admin', 'Trials', staff],
  ['admin-trial', '/admin/stores/trials/:id', 'admin', 'Trial', staff],
  ['admin-discount-codes', '/admin/plan-discounts/codes', 'admin', 'Discount codes', staff],
  ['admin-discounts-applied', '/admin/plan-discounts/applied', 'admin', 'Discounts in use', staff],
  ['admin-add-discount', '/admin/plan-discounts/add', 'admin', 'Add a discount code', staff],
  ['admin-health-tests', '/admin/health/tests', 'admin', 'Health of tests', staff],
  ['admin-tests', '/admin/tests', 'admin', 'All tests', staff],
  ['admin-health-stores', '/admin/health/stores', 'admin', 'Health of stores', staff],
  ['admin-health-api', '/admin/health/api', 'admin', 'Health of the API', staff],
  ['admin-app-stats', '/admin/app-stats', 'admin', 'App statistics', staff],
  ['admin-earnings', '/admin/earnings', 'admin', 'Earnings', staff],
]

/** Every page, in the order of docs/requirements.md, "2 Pages". */
export const routes: readonly Route[] = rows.map(([name, path, guard, title, meta]) => ({
  name,
  path,
  guard,
  title,
  ...meta,
}))

/** The route of a path (without its query); fixed ones before those with a parameter. Null: no page of ours. */
export function routeOf(path: string): Route | null {
  return fixed.get(path) ?? patterns.find(([pattern]) => pattern.test(path))?.[1] ?? null
}
/** Throws for a name that no route has. */
export function routeNamed(name: string): Route {
  const route = routes.find(each => each.name === name)
  if (!route) throw new Error(`No route is called "${name}".`)
  return route
}
const fixed = new Map(
  routes.filter(({ path }) => !path.includes(':')).map(route => [route.path, route]),
)
// ":name?" may be left out with the slash before it.
const patterns = routes
  .filter(({ path }) => path.includes(':'))
  .map(
    route =>
      [
        new RegExp(`^${route.path.replace(/\/:\w+\?/g, '(?:/[^/]+)?').replace(/:\w+/g, '[^/]+')}$`),
        route,
      ] as const,
  )

/** The page itself, and the acts on it that are posted below it. */
export const below = (path: string, root: string) => path === root || path.startsWith(`${root}/`)
export const isOnboarding = (path: string): boolean => below(path, '/welcome')
export const isOverlay = (path: string): boolean => below(path, '/overlay')
export const isAdmin = (path: string): boolean => below(path, '/admin')
