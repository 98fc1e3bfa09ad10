import type { ListTab } from './tests/ab-test.ts'

/** The one builder of the app's own paths. No literal URL in a view or handler. */
export const listTabSlugs: Record<ListTab, string> = {
  Active: 'running',
  Scheduled: 'scheduled',
  Paused: 'paused',
  OnHold: 'on-hold',
  Suspended: 'suspended',
  Ended: 'ended',
  Draft: 'drafts',
}
export type SettingsPage =
  | 'account'
  | 'notifications'
  | 'billing'
  | 'support'
  | 'brand-styles'
  | 'preferences'
  | 'integrations'
  | 'uninstall'
export type WelcomePage = 'contact' | 'choose-industry' | 'last-question'
export type OverlayPage = 'selectplan' | 'noplan' | 'select-secret-all-plans'
export type AdminPage =
  | 'add-user'
  | 'users'
  | 'stores/features'
  | 'stores/trials'
  | 'plan-discounts/codes'
  | 'plan-discounts/applied'
  | 'plan-discounts/add'
  | 'health/tests'
  | 'tests'
  | 'health/stores'
  | 'health/api'
  | 'app-stats'
  | 'earnings'

/** Heading of the card that lists networks. */
export const networksId = 'networks'

export const paths = {
  home: () => '/',
  tests: (tab: ListTab) => `/tests/list/${listTabSlugs[tab]}`,
  draft: (id?: string) => (id ? `/tests/draft/edit/${id}` : '/tests/draft/edit'),
  report: (id: string, tab?: string) => (tab ? `/tests/${id}/${tab}` : `/tests/${id}`),
  draftMatches: (id: string) => `/tests/draft/edit/${id}/matches`,
  /** The shop's products that a price test may take, while they are searched. */
  draftProducts: (id: string) => `/tests/draft/edit/${id}/products`,
  deleteDraft: (id: string) => `/tests/draft/edit/${id}/delete`,
  draftPreviews: (id: string) => `/tests/draft/edit/${id}/previews`,
  draftUploads: (id: string) => `/tests/draft/edit/${id}/uploads`,
  draftPictures: (id: string, hypothesis?: string, device?: string) =>
    `/tests/draft/edit/${id}/pictures${hypothesis ? `/${hypothesis}/${device}` : ''}`,
  /** Pictures of what a draft can choose; of one choice, its picture as it was taken at that moment. */
  draftChoices: (id: string, of?: string, at = '') =>
    `/tests/draft/edit/${id}/choices${of ? `/picture?of=${encodeURIComponent(of)}&at=${encodeURIComponent(at)}` : ''}`,
  draftChecks: (id: string) => `/tests/draft/edit/${id}/checks`,
  /** The store's audiences, met from a draft: its page of one, a new one, or deleting it. */
  draftAudience: (id: string, audience = 'new', act?: 'delete' | 'preview') =>
    `/tests/draft/edit/${id}/audiences/${audience}${act ? `/${act}` : ''}`,
  duplicateDraft: (id: string) => `/tests/draft/edit/${id}/duplicate`,
  rename: (id: string) => `/tests/${id}/rename`,
  resume: (id: string) => `/tests/${id}/resume`,
  pause: (id: string) => `/tests/${id}/pause`,
  end: (id: string) => `/tests/${id}/end`,
  testAct: (id: string, act: 'apply' | 'delete' | 'duplicate' | 'schedule' | 'variant') =>
    `/tests/${id}/${act}`,
  endAll: () => '/tests/end-all',
  /** Ends or deletes the tests, or deletes the drafts, that were chosen in the list. */
  chosen: (act: 'end' | 'delete' | 'delete-drafts') => `/tests/chosen/${act}`,
  /** The first steps of a new store are put away. */
  dismissChecklist: () => '/tests/first-steps/dismiss',
  /** What was stopped, and told about over the list, has been read. */
  seenStopped: () => '/tests/stopped/seen',
  /** A test's figures as a file: a table, its orders, or all of it in one archive. */
  testExport: (id: string, what: 'results' | 'orders' | 'all') => `/tests/${id}/export/${what}`,
  recommendations: () => '/recommendations',
  settings: (page: SettingsPage = 'account') => `/settings/${page}`,
  /** Acts on the connection with Google Analytics; `connect` begins at Google's, `finish` is where the merchant is back from there. */
  analytics: (act: 'connect' | 'finish' | 'property' | 'enable' | 'disable' | 'disconnect') =>
    `/settings/integrations/google-analytics/${act}`,
  /** As it is registered at Google (the engine names it there). */
  googleReturn: () => '/ga/callback',
  resumeHeld: () => '/settings/notifications/resume',
  preferences: (part: 'industry' | 'experience' | 'networks' | 'consent') =>
    `/settings/preferences/${part}`,
  uninstalling: (jobId?: string) =>
    jobId ? `/uninstalling?job=${encodeURIComponent(jobId)}` : '/uninstalling',
  /** The same job for the page's script. */
  uninstallProgress: (jobId: string) => `/uninstalling/progress?job=${encodeURIComponent(jobId)}`,
  uninstalled: (store?: string) =>
    store === undefined ? '/uninstalled' : `/uninstalled?store=${encodeURIComponent(store)}`,
  welcome: (page?: WelcomePage) => (page ? `/welcome/${page}` : '/welcome'),
  /** Asking for a plan that is agreed in person, below the page that offers plans; with its id, saying who asks. */
  customRequest: (page: string, id?: string) => `${page}/custom-request${id ? `/${id}` : ''}`,
  /** A page with the plan that opens a closed feature in a dialog over it. */
  upgrade: (page: string, feature: string) =>
    `${page}${page.includes('?') ? '&' : '?'}ask=upgrade&feature=${feature}`,
  overlay: (page: OverlayPage) => `/overlay/${page}`,
  brandStyles: (page?: 'review' | 'edit', pattern?: string) =>
    `/import-brand-styles${page ? `/${page}` : ''}${pattern ? `/${encodeURIComponent(pattern)}` : ''}`,
  design: () => '/devTest/design',
  login: () => '/login',
  loginCode: () => '/login/code',
  loginSetUp: () => '/login/set-up',
  reset: (token?: string) => (token ? `/reset?token=${encodeURIComponent(token)}` : '/reset'),
  logout: () => '/logout',
  admin: (page?: AdminPage, id?: string) =>
    `/admin${page ? `/${page}` : ''}${id ? `/${encodeURIComponent(id)}` : ''}`,
  storeNetworks: (id: string) => `/admin/stores/trials/${encodeURIComponent(id)}/networks`,
  staffUserAct: (
    id: string,
    act:
      | 'disable'
      | 'enable'
      | 'link'
      | 'sign-out'
      | 'two-step'
      | 'two-step-codes'
      | 'two-step-off'
      | 'two-step-reset'
      | 'end-session',
  ) => `/admin/users/${encodeURIComponent(id)}/${act}`,
  dismissSmallScreen: () => '/small-screen/dismiss',
  auth: () => '/auth',
  authMissing: () => '/auth-missing',
  endSessions: () => '/settings/account/sign-out',
  error: () => '/error',
  /** The merchants' guide, unless DOCS_URL names another. */
  help: () => '/help',
  /** The app's own WebSocket to its open pages. */
  live: () => '/live',
  /** Whether the figures of an open page have changed: of a test, or of the list. */
  figures: (test?: string) => `/live/figures${test ? `?test=${test}` : ''}`,
} as const
