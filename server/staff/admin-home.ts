import type { FastifyInstance } from 'fastify'
import { h } from 'preact'
import { paths } from '../../domain/paths.ts'
import { waitsOf } from '../../domain/staff/staff-waits.ts'
import { StaffSearch } from '../../views/staff/admin-home-search.tsx'
import { AdminHome } from '../../views/staff/admin-home.tsx'
import { queryOf } from '../http/query.ts'
import { staffPage } from './staff-page.ts'
import { staffApiOf } from './staff-visit.ts'

const firstPage = { page: 0, perPage: 1 }

/** Staff's home page: whether anything is wrong, or the results of a search through everything. */
export function adminHome(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  app.get(paths.admin(), async (request, reply) => {
    const call = staffApiOf(request)
    const search = (queryOf(request).get('search') ?? '')
      .replaceAll('\0', '')
      .toWellFormed()
      .trim()
      .slice(0, 200)
    if (search !== '')
      return staffPage(
        request,
        reply,
        { title: 'Search' },
        h(StaffSearch, { search, found: await call.adminSearch({ query: { search } }) }),
      )
    const [stats, trends, tests, stores, trials, api] = await Promise.all([
      call.adminAppStats({}),
      call.adminTrends({}),
      call.adminTestHealth({ query: firstPage }),
      call.adminStoreHealth({ query: firstPage }),
      call.adminTrials({ query: firstPage }),
      call.adminApiHealth({}),
    ])
    const overview = { stats, trends, tests, stores, trials, api }
    return staffPage(
      request,
      reply,
      {},
      h(AdminHome, { overview, waits: waitsOf(overview), now: clock() }),
    )
  })
}
