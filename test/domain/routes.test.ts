import { readFileSync } from 'node:fs'
import t from 'tap'
import { frameOf, partRoutes, routeNamed, routeOf, routes } from '../../domain/routes.ts'

const { pages } = JSON.parse(readFileSync('test/cases/routes.json', 'utf8')) as {
  pages: { path: string; guard: string; redirects?: string }[]
}

t.test('the table lists every page with its guard in a fixed order', async t => {
  t.equal(pages.length, 56)
  t.same(
    routes.map(({ path, guard, redirects }) => ({ path, guard, ...(redirects && { redirects }) })),
    pages.map(({ path, guard, redirects }) => ({ path, guard, ...(redirects && { redirects }) })),
  )
  t.equal(new Set(routes.map(({ name }) => name)).size, routes.length, 'all names differ')
})

t.test('a path finds its route', async t => {
  const cases: [path: string, name: string | null][] = [
    ['/', 'dashboard'],
    ['/tests', 'tests'],
    ['/tests/', null],
    ['/tests/abc', 'report'],
    ['/tests/abc/devices', 'report-devices'],
    ['/tests/abc/nothing', null],
    ['/tests/draft/edit', 'draft'],
    ['/tests/draft/edit/abc', 'draft'],
    ['/tests/draft/edit/abc/more', null],
    ['/tests/draft/edit/abc/previews', 'draft'],
    ['/help', 'help'],
    ['/tests/list/running', 'test-list'],
    ['/import-brand-styles/edit', 'edit-brand-style'],
    ['/import-brand-styles/edit/product', 'edit-brand-style'],
    ['/import-brand-styles/edit/a/b', null],
    ['/admin', 'admin'],
    ['/admin/users', 'admin-users'],
    ['/admin/users/1', 'admin-user'],
    ['/admin/stores/trials/1', 'admin-trial'],
    ['/admin/leads', 'admin-leads'],
    ['/admin/leads/1/2', 'admin-lead'],
    ['/admin/leads/1', null],
    ['/admin/nothing', null],
    ['/settings', 'settings'],
    ['/settings/nothing', null],
    ['/overlay', null],
    ['/Tests', null],
    ['//', null],
    ['', null],
  ]
  for (const [path, name] of cases) t.equal(routeOf(path)?.name ?? null, name, path)
  t.throws(() => routeNamed('nothing'))
})

t.test(
  "no site may frame the staff's pages and their sign-in; only the shop's admin frames all others",
  async t => {
    for (const { path, guard, unframed } of routes)
      t.equal(unframed ?? false, guard === 'admin' || path === '/login' || path === '/reset', path)
  },
)

t.test('parts of a page have frames of their own and the name of their page', async t => {
  const frames = Object.fromEntries(partRoutes.map(route => [route.path, frameOf(route)]))
  t.same(frames, {
    '/tests/draft/edit': 'shell',
    '/tests/draft/edit/:draftId/previews': 'shell',
    '/tests/draft/edit/:draftId/pictures': 'shell',
    '/tests/draft/edit/:draftId/matches': 'bare',
    '/tests/draft/edit/:draftId/products': 'bare',
    '/tests/draft/edit/:draftId/checks': 'bare',
    '/settings/integrations/google-analytics/finish': 'bare',
    '/help': 'bare',
  })
  for (const { name, path } of partRoutes)
    t.equal(
      routes.some(route => route.name === name),
      path !== '/help',
      path,
    )
  t.equal(frameOf(routeOf('/tests/draft/edit/abc')), 'rail')
  t.equal(frameOf(null), 'shell')
})
