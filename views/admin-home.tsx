import { paths, type AdminPage } from '../domain/paths.ts'
import type { StaffUser } from '../domain/staff-calls/users.ts'

const pages: [page: AdminPage, title: string, text: string][] = [
  ['stores/trials', 'Trials', 'Stores on trial, when each ends, and more days for one that needs them.'],
  ['stores/features', 'Feature flags', 'What each store may use beyond its plan.'],
  ['plan-discounts/codes', 'Discount codes', 'Every code, what it takes off, and how often it was used.'],
  ['plan-discounts/applied', 'Discounts in use', 'Which store uses which code.'],
  ['tests', 'All tests', 'Every test of every store, by status.'],
  ['health/tests', 'Health of tests', 'Running tests that somebody should look at.'],
  ['health/stores', 'Health of stores', 'Stores whose script, events or subscription are not in order.'],
  ['health/api', 'Health of the API', 'Database, jobs and what waits to be sent.'],
  ['app-stats', 'App statistics', 'Stores, tests, visitors and events, in figures.'],
  ['earnings', 'Earnings', 'Payouts by month, and the upload of new ones.'],
  ['users', 'Users', 'Who belongs to staff, and their links and sessions.'],
]

export const AdminHome = ({ user }: { user: StaffUser }) => (
  <>
    <div class="page-head"><h1>Staff</h1><p class="page-facts muted">Signed in as {user.name}, {user.email}.</p></div>
    <section class="card" aria-label="Pages">
      <dl class="facts card-body">
        {pages.map(([page, title, text]) => <div key={page}><dt><a href={paths.admin(page)}>{title}</a></dt><dd>{text}</dd></div>)}
      </dl>
    </section>
  </>
)
