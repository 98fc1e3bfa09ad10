import { paths, type SettingsPage } from '../domain/paths.ts'
import { routeNamed } from '../domain/routes.ts'

const pages = [
  'account',
  'notifications',
  'billing',
  'support',
  'brand-styles',
  'preferences',
  'integrations',
  'uninstall',
] as const satisfies SettingsPage[]
const titleOf = (page: SettingsPage) => routeNamed(`settings-${page}`).title

/** The tabs above every settings page. Uninstall is set apart, because it is no setting. */
export const SettingsNav = ({ current }: { current: SettingsPage }) => (
  <nav class="tabs" aria-label="Settings">
    {pages.map(page => (
      <a
        key={page}
        class={page === 'uninstall' ? 'tab-apart' : undefined}
        href={paths.settings(page)}
        aria-current={page === current ? 'page' : undefined}
      >
        {titleOf(page)}
      </a>
    ))}
  </nav>
)
