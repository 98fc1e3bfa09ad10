import type { ListTab } from './ab-test.ts'

/** The one builder of the app's own paths (spec §2). No literal URL in a view or handler. */
export const listTabSlugs: Record<ListTab, string> = {
  Active: 'running', Scheduled: 'scheduled', Paused: 'paused', OnHold: 'on-hold', Suspended: 'suspended', Ended: 'ended', Draft: 'drafts',
}
export const paths = {
  home: () => '/',
  tests: (tab: ListTab) => `/tests/list/${listTabSlugs[tab]}`,
  draft: (id?: string) => (id ? `/tests/draft/edit/${id}` : '/tests/draft/edit'),
  report: (id: string, tab?: string) => (tab ? `/tests/${id}/${tab}` : `/tests/${id}`),
  deleteDraft: (id: string) => `/tests/draft/edit/${id}/delete`,
  rename: (id: string) => `/tests/${id}/rename`,
  resume: (id: string) => `/tests/${id}/resume`,
  pause: (id: string) => `/tests/${id}/pause`,
  end: (id: string) => `/tests/${id}/end`,
  recommendations: () => '/recommendations',
  settings: (page = 'account') => `/settings/${page}`,
  auth: () => '/auth',
  authMissing: () => '/auth-missing',
  error: () => '/error',
  docs: () => '/docs',
} as const
