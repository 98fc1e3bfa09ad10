import type { FastifyInstance } from 'fastify'
import { h } from 'preact'
import { paths } from '../domain/paths.ts'
import { Account } from '../views/account.tsx'
import { page, seeOther } from './page.ts'
import { shellOf } from './visit.ts'

export function account(app: FastifyInstance): void {
  app.get('/settings', (request, reply) => seeOther(request, reply, paths.settings()))
  app.get(paths.settings(), (request, reply) => page(request, reply, { title: 'My account', section: 'settings' }, h(Account, shellOf(request))))
}
