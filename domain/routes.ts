import type { Capability } from './access.ts'
import { partTabs } from './reports/report-tab.ts'

/**
 * Who may see a page. `any`: everyone in every state, so that the error page never redirects in a
 * loop.
 */
export type Guard = 'guest' | 'any' | 'store' | 'admin'
/**
 * `dashboard`: with side navigation. `fullscreen`: only with the top bar. `none`: only with a bar
 * that has the logo.
 */
export type Layout = 'dashboard' | 'fullscreen' | 'none'
/** The entries of the side navigation. */
export type Section = 'tests' | 'recommendations' | 'settings'

export type Route = {
  /** The page's name in analytics. */
  name: string
  path: string
  guard: Guard
  layout: Layout
  /**
   * Shown as "title | product". A page about one thing, such as a test, shows the title of that
   * thing instead.
   */
  title: string
  section?: Section
  /** The path that this route always redirects to. */
  redirects?: string
  /** Side navigation reduced to icons, and no padding around the content. */
  rail?: true
  /**
   * The capability that a tab of the report needs. Without it, the tab only says what it would show
   * and what opens it.
   */
  needs?: Capability
  /** An additional stylesheet in public/sheets/. */
  sheet?: string
  /** A part of a page, which the page's script fetches: no navigation, so no page view. */
  isPart?: true
  /** True when the page may not be shown in any frame: staff's pages and their sign-in. */
  unframed?: true
}

/** `shell` has the navigation beside the content, `rail` folded to icons; `bare` has none. */
export type PageFrame = 'shell' | 'rail' | 'bare'
/** The frame around a route's page. A page without a route, such as a 404, has the navigation. */
export const frameOf = (route: Pick<Route, 'layout' | 'rail'> | null): PageFrame =>
  route && route.layout !== 'dashboard' ? 'bare' : route?.rail ? 'rail' : 'shell'

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
  ['admin-leads', '/admin/leads', 'admin', 'Plan requests', staff],
  ['admin-lead', '/admin/leads/:storeId/:leadId', 'admin', 'Plan request', staff],
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

const named = ([name, path, guard, title, meta]: Row): Route => ({
  name,
  path,
  guard,
  title,
  ...meta,
})
/** Every page, in the order of docs/requirements.md, "2 Pages". */
export const routes: readonly Route[] = rows.map(named)

/**
 * Pages and parts of pages at addresses of their own, each with the name of the page that it
 * belongs to. Their frame, title or stylesheet differs from that page's.
 */
const belowDraft = (path: string, title: string, meta: Meta): Row => [
  'draft',
  `/tests/draft/edit${path}`,
  'store',
  title,
  meta,
]
const part = none({ isPart: true })
const editor = dashboard('tests', { sheet: 'editor' })
export const partRoutes: readonly Route[] = [
  belowDraft('', 'Create a test', dashboard('tests', { sheet: 'kinds' })),
  belowDraft('/:draftId/previews', 'Preview on a phone', editor),
  belowDraft('/:draftId/pictures', 'Pictures of both arms', editor),
  belowDraft('/:draftId/matches', 'Pages that match', part),
  belowDraft('/:draftId/products', 'Products', part),
  belowDraft('/:draftId/checks', 'Before launch', part),
  [
    'settings-integrations',
    '/settings/integrations/google-analytics/finish',
    'store',
    'Connect Google Analytics',
    none(),
  ] satisfies Row,
  ['help', '/help', 'any', 'Guide', none({ sheet: 'guide' })] satisfies Row,
].map(named)
const allRoutes = [...partRoutes, ...routes]

/**
 * The route of a path (without its query). Fixed paths come before those with a parameter. Null
 * when it is not a page of the app.
 */
export function routeOf(path: string): Route | null {
  return fixed.get(path) ?? patterns.find(([pattern]) => pattern.test(path))?.[1] ?? null
}
/** The route with this name. Throws an Error when there is none. */
export function routeNamed(name: string): Route {
  const route = routes.find(each => each.name === name)
  if (!route) throw new Error(`No route is called "${name}".`)
  return route
}
const fixed = new Map(
  allRoutes.filter(({ path }) => !path.includes(':')).map(route => [route.path, route]),
)
// ":name?" is optional, together with the slash before it.
const patterns = allRoutes
  .filter(({ path }) => path.includes(':'))
  .map(
    route =>
      [
        new RegExp(`^${route.path.replace(/\/:\w+\?/g, '(?:/[^/]+)?').replace(/:\w+/g, '[^/]+')}$`),
        route,
      ] as const,
  )

/** Whether a path is a page or is below it. Actions of a page are posted below the page. */
export const below = (path: string, root: string) => path === root || path.startsWith(`${root}/`)
export const isOnboarding = (path: string): boolean => below(path, '/welcome')
export const isOverlay = (path: string): boolean => below(path, '/overlay')
export const isAdmin = (path: string): boolean => below(path, '/admin')
