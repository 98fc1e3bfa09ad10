import type { ListTab } from './tests/ab-test.ts'

/** Builds all paths of the app. Views and handlers must not contain literal paths. */
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
  | 'leads'
  | 'plan-discounts/codes'
  | 'plan-discounts/applied'
  | 'plan-discounts/add'
  | 'health/tests'
  | 'tests'
  | 'health/stores'
  | 'health/api'
  | 'app-stats'
  | 'earnings'

/** The id of the heading above the list of networks. */
export const networksId = 'networks'

export const paths = {
  home: () => '/',
  tests: (tab: ListTab) => `/tests/list/${listTabSlugs[tab]}`,
  draft: (id?: string) => (id ? `/tests/draft/edit/${id}` : '/tests/draft/edit'),
  report: (id: string, tab?: string) => (tab ? `/tests/${id}/${tab}` : `/tests/${id}`),
  draftMatches: (id: string) => `/tests/draft/edit/${id}/matches`,
  /** The search for the shop's products in a price test's draft. */
  draftProducts: (id: string) => `/tests/draft/edit/${id}/products`,
  deleteDraft: (id: string) => `/tests/draft/edit/${id}/delete`,
  draftPreviews: (id: string) => `/tests/draft/edit/${id}/previews`,
  draftUploads: (id: string) => `/tests/draft/edit/${id}/uploads`,
  draftPictures: (id: string, hypothesis?: string, device?: string) =>
    `/tests/draft/edit/${id}/pictures${hypothesis ? `/${hypothesis}/${device}` : ''}`,
  /**
   * Pictures of what a draft can choose; with `of`, the picture of one choice, taken at the instant
   * `at`.
   */
  draftChoices: (id: string, of?: string, at = '') =>
    `/tests/draft/edit/${id}/choices${of ? `/picture?of=${encodeURIComponent(of)}&at=${encodeURIComponent(at)}` : ''}`,
  draftChecks: (id: string) => `/tests/draft/edit/${id}/checks`,
  /**
   * The page of one of the store's audiences, or of a new one, opened from a draft; with `act`,
   * deletes or previews it.
   */
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
  /** Ends or deletes the tests that are selected in the list, or deletes the selected drafts. */
  chosen: (act: 'end' | 'delete' | 'delete-drafts') => `/tests/chosen/${act}`,
  /** Dismisses the first steps of a new store. */
  dismissChecklist: () => '/tests/first-steps/dismiss',
  /** Marks the message about stopped tests above the list as read. */
  seenStopped: () => '/tests/stopped/seen',
  /** Downloads a test's figures: a table, its orders, or both in one archive. */
  testExport: (id: string, what: 'results' | 'orders' | 'all') => `/tests/${id}/export/${what}`,
  recommendations: () => '/recommendations',
  settings: (page: SettingsPage = 'account') => `/settings/${page}`,
  /**
   * Acts on the connection with Google Analytics. `connect` sends the merchant to Google; `finish`
   * is for the return from there.
   */
  analytics: (act: 'connect' | 'finish' | 'property' | 'enable' | 'disable' | 'disconnect') =>
    `/settings/integrations/google-analytics/${act}`,
  /**
   * Where Google sends the merchant back. This path is registered at Google; the engine sends it
   * too.
   */
  googleReturn: () => '/ga/callback',
  resumeHeld: () => '/settings/notifications/resume',
  preferences: (part: 'industry' | 'experience' | 'networks' | 'consent') =>
    `/settings/preferences/${part}`,
  uninstalling: (jobId?: string) =>
    jobId ? `/uninstalling?job=${encodeURIComponent(jobId)}` : '/uninstalling',
  /** The state of the same job, for the page's script. */
  uninstallProgress: (jobId: string) => `/uninstalling/progress?job=${encodeURIComponent(jobId)}`,
  uninstalled: (store?: string) =>
    store === undefined ? '/uninstalled' : `/uninstalled?store=${encodeURIComponent(store)}`,
  welcome: (page?: WelcomePage) => (page ? `/welcome/${page}` : '/welcome'),
  /**
   * Requests a plan that is agreed in person, below the page that offers plans. With an id: sends
   * the name and the address for that request.
   */
  customRequest: (page: string, id?: string) => `${page}/custom-request${id ? `/${id}` : ''}`,
  /** A page with a dialog that shows the plan which opens a closed feature. */
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
  /** The request of a store for a custom plan. */
  lead: (storeId: string, id: string) =>
    `/admin/leads/${encodeURIComponent(storeId)}/${encodeURIComponent(id)}`,
  /** Counts the figures of a store again, or of one of its tests. */
  recount: (storeId: string) => `/admin/stores/trials/${encodeURIComponent(storeId)}/recount`,
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
  /** The picture of the shop in the store menu. */
  storeLogo: (storeId?: string) =>
    `/store/logo${storeId ? `?of=${encodeURIComponent(storeId)}` : ''}`,
  dismissSmallScreen: () => '/small-screen/dismiss',
  auth: () => '/auth',
  authMissing: (why?: string) => `/auth-missing${why ? `?why=${why}` : ''}`,
  /** Makes a link that downloads one file once. */
  downloadLink: () => '/download-link',
  endSessions: () => '/settings/account/sign-out',
  error: () => '/error',
  /** The merchants' guide, unless DOCS_URL names another. */
  help: () => '/help',
  /** The app's own WebSocket to its open pages. */
  live: () => '/live',
  /** Asks whether the figures of an open page have changed: those of a test, or of the list. */
  figures: (test?: string) => `/live/figures${test ? `?test=${test}` : ''}`,
} as const
