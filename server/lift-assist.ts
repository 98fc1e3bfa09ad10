import type { FastifyInstance } from 'fastify'
import { h } from 'preact'
import { can } from '../domain/access.ts'
import { paths } from '../domain/paths.ts'
import { LiftAssist } from '../views/lift-assist.tsx'
import { page } from './page.ts'
import { apiOf, shellOf } from './visit.ts'

/** Tests that a recommendation is drawn from. */
const learntFrom = 100

export function liftAssist(app: FastifyInstance): void {
  app.get(paths.recommendations(), async (request, reply) => {
    const { store, plans } = shellOf(request)
    const isOpen = can('LiftAssists', { plan: plans.find(({ id }) => id === store.planId), features: store.features })
    const ended = isOpen ? (await apiOf(request).tests({ query: { status: 'Ended', perPage: learntFrom, sort: 'lift', descending: true } })).tests : []
    return page(request, reply, { title: 'Lift Assist', section: 'recommendations' }, h(LiftAssist, { isOpen, ended, timeZone: store.timeZone }))
  })
}
