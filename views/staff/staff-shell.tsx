import { formatCount } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import { routeNamed } from '../../domain/routes.ts'
import type { StaffUser } from '../../domain/staff-calls/users.ts'
import { storeInitials } from '../../domain/stores/store.ts'
import { Icon, Logo } from '../icons.tsx'

/**
 * Names of the routes, grouped as staff look for them. Pages that add something are reached from
 * their list.
 */
const groups: [title: string, names: string[]][] = [
  ['Panel', ['admin']],
  ['Stores', ['admin-trials', 'admin-leads', 'admin-features', 'admin-health-stores']],
  ['Plan discounts', ['admin-discount-codes', 'admin-discounts-applied']],
  ['Tests', ['admin-tests', 'admin-health-tests']],
  ['Product', ['admin-app-stats', 'admin-earnings', 'admin-health-api']],
  ['Staff', ['admin-users']],
]

type FrameProps = {
  user: StaffUser
  menu: { openLeads: number }
  /** Path of the route that is shown. */
  current: string | null
}
/** Top bar and side navigation of staff's pages. */
export const StaffFrame = ({ user, menu, current }: FrameProps) => (
  <>
    <a class="skip-link" href="#content">
      Skip to content
    </a>
    <header class="topbar">
      <a class="logo" href={paths.admin()}>
        <Logo />
        Twinshelf{' '}
        <span class="badge" data-tone="warn">
          Staff
        </span>
      </a>
      <form class="staff-search" role="search" action={paths.admin()}>
        <label class="visually-hidden" for="staff-search">
          Search stores, tests and orders
        </label>
        <input
          id="staff-search"
          class="staff-search-input"
          type="search"
          name="search"
          placeholder="Store, test or order"
          maxLength={200}
          autocomplete="off"
        />
      </form>
      <details class="menu store-menu">
        <summary>
          <span class="initials" aria-hidden="true">
            {storeInitials(user.name)}
          </span>
          {user.name}
          <Icon name="down" />
        </summary>
        <ul class="menu-list">
          <li>
            <a href={paths.admin('users', user.id)}>
              <Icon name="account" />
              My account
            </a>
          </li>
          <li>
            <form method="post" action={paths.logout()}>
              <button class="menu-act">
                <Icon name="external" />
                Log out
              </button>
            </form>
          </li>
        </ul>
      </details>
    </header>
    <nav class="sidenav" aria-label="Staff">
      <ul class="nav-list">
        {groups.map(([group, names]) => (
          <>
            <li class="nav-group">{group}</li>
            {names.map(routeNamed).map(({ name, path, title }) => (
              <li key={path}>
                <a href={path} aria-current={isAt(path, current) ? 'page' : undefined}>
                  {title}
                  {name === 'admin-leads' && menu.openLeads > 0 && (
                    <span class="nav-count">
                      {formatCount(menu.openLeads)}
                      <span class="visually-hidden"> open</span>
                    </span>
                  )}
                </a>
              </li>
            ))}
          </>
        ))}
      </ul>
    </nav>
  </>
)

/** Pages that the navigation shows as part of their list. */
const parents: Record<string, string> = {
  '/admin/users/:id': '/admin/users',
  '/admin/add-user': '/admin/users',
  '/admin/stores/trials/:id': '/admin/stores/trials',
  '/admin/leads/:storeId/:leadId': '/admin/leads',
  '/admin/plan-discounts/add': '/admin/plan-discounts/codes',
}
const isAt = (path: string, current: string | null) =>
  current !== null && (parents[current] ?? current) === path
