import type { FastifyInstance } from 'fastify'
import { h } from 'preact'
import { paths } from '../domain/paths.ts'
import { AdminHome } from '../views/admin-home.tsx'
import { staffPage } from './staff-page.ts'
import { staffUserOf } from './staff-visit.ts'

/** Where staff arrive. */
export function adminHome(app: FastifyInstance): void {
  app.get(paths.admin(), (request, reply) => staffPage(request, reply, {}, h(AdminHome, { user: staffUserOf(request) })))
}
