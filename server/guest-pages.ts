import type { FastifyInstance } from 'fastify'
import { h } from 'preact'
import { paths } from '../domain/paths.ts'
import { AuthMissing, ErrorPage, Uninstalled } from '../views/guest.tsx'
import { barePage } from './page.ts'
import { queryOf } from './query.ts'

/** Pages for those without a session. */
export function guestPages(app: FastifyInstance, { adminOrigin }: { adminOrigin: string }): void {
  const admin = `${adminOrigin}/admin/apps/twinshelf`
  app.get(paths.authMissing(), (request, reply) => barePage(request, reply.code(401), 'Signed out', h(AuthMissing, { admin })))
  app.get(paths.error(), (request, reply) => barePage(request, reply, 'Error', h(ErrorPage, { admin })))
  app.get('/uninstalled', (request, reply) => {
    const store = queryOf(request).get('store')
    return barePage(request, reply, 'Uninstalled', h(Uninstalled, { store: store && /^[a-z0-9-]{1,63}$/.test(store) ? store : null, admin: `${adminOrigin}/admin` }))
  })
}
