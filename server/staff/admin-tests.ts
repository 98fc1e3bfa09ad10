import type { FastifyInstance } from 'fastify'
import { h } from 'preact'
import { paths } from '../../domain/paths.ts'
import { testSorts, testTroubles, troubledSorts } from '../../domain/staff/staff-tests.ts'
import { testStatuses } from '../../domain/tests/test-status.ts'
import { AllTests, TestHealth } from '../../views/staff/admin-tests.tsx'
import { beyondTheEnd, listAsked, listState } from './admin-list.ts'
import { staffPage } from './staff-page.ts'
import { staffApiOf } from './staff-visit.ts'

/** Staff's pages of the tests of all stores, and of tests that need attention. */
export function adminTests(app: FastifyInstance): void {
  app.get(paths.admin('tests'), async (request, reply) => {
    const state = listState(request, {
      sorts: testSorts,
      usual: { sort: 'createdAt', descending: true },
      filters: { status: testStatuses },
    })
    const status = testStatuses.find(name => name === state.filters['status'])
    const found = await staffApiOf(request).adminTests({
      query: { ...listAsked(state), ...(status && { status }) },
    })
    return (
      beyondTheEnd(request, reply, state, found.count) ??
      staffPage(request, reply, {}, h(AllTests, { state, ...found }))
    )
  })

  app.get(paths.admin('health/tests'), async (request, reply) => {
    const state = listState(request, {
      sorts: troubledSorts,
      usual: { sort: 'store', descending: false },
      filters: { trouble: testTroubles },
    })
    const trouble = testTroubles.find(name => name === state.filters['trouble'])
    const found = await staffApiOf(request).adminTestHealth({
      query: { ...listAsked(state), ...(trouble && { trouble }) },
    })
    return (
      beyondTheEnd(request, reply, state, found.count) ??
      staffPage(request, reply, {}, h(TestHealth, { state, ...found }))
    )
  })
}
