import type { FastifyInstance } from 'fastify'
import { h } from 'preact'
import { NoPlan, SelectPlan, Welcome } from '../views/plan-pages.tsx'
import { barePage } from './page.ts'
import { shellOf } from './visit.ts'

/** Where the gate sends a store that cannot work yet: what is missing, said plainly. */
export function plansPages(app: FastifyInstance): void {
  app.get('/overlay/noplan', (request, reply) => barePage(request, reply, 'No plan', h(NoPlan, shellOf(request))))
  app.get('/overlay/selectplan', (request, reply) => barePage(request, reply, 'Plans', h(SelectPlan, shellOf(request))))
  app.get('/welcome', (request, reply) => barePage(request, reply, 'Welcome', h(Welcome, shellOf(request))))
}
