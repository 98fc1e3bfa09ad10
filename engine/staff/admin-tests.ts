import { type Kysely, sql, type SqlBool } from 'kysely'
import { can, type Capability } from '../../domain/access.ts'
import type { HoldCause } from '../../domain/tests/hold-cause.ts'
import type { StoreName } from '../../domain/staff/staff-list.ts'
import {
  type StaffTest,
  type TestFacts,
  type TroubledTest,
  testTroubles,
  troublesOf,
} from '../../domain/staff/staff-tests.ts'
import type { Verdict } from '../../domain/reports/summary.ts'
import { hasLapsed } from '../../domain/stores/store-subscription.ts'
import { closedFor } from '../../domain/tests/test-closed.ts'
import { testStatuses } from '../../domain/tests/test-status.ts'
import { day } from '../../domain/time-units.ts'
import { holds, pageIn, pageOf } from './admin-lists.ts'
import { storeNameOf } from './admin-stores.ts'
import type { EngineContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { accessIn, type AccessRow } from '../plans/access.ts'
import { isSplitBrokenOfTest, visitorsOfTest } from '../tests/test-lists.ts'
import { statusSince } from '../tests/test-statuses.ts'
import type { StaffServe } from '../http/routes.ts'
import { dayIn } from '../events/fold/visit-day.ts'

/** Columns of a test and of its store. */
type Row = StoreName &
  Pick<StaffTest, 'title' | 'kind' | 'status' | 'visitors'> & {
    testId: string
    startAt: Date | null
  }
type ListRow = Row & { createdAt: Date; verdict: Verdict | null }
type FactsRow = Row & {
  status: TestFacts['status']
  holdCause: HoldCause | null
  verdict: Verdict['kind'] | null
  isSplitBroken: boolean
  since: Date | null
  lastDay: string | null
  timeZone: string
  checkError: string | null
  publishError: string | null
  audienceIds: string[]
} & AccessRow

const columns = sql`t.test_id as "testId", t.title, t.kind, t.status, t.start_at as "startAt", ${visitorsOfTest} as visitors, st.store_id as id, st.shop, st.name, st.is_demo as "isDemo"`
const from = sql`tests t join stores st on st.store_id = t.store_id left join test_summaries s on s.store_id = t.store_id and s.test_id = t.test_id`
const sorts = {
  title: sql`lower(t.title)`,
  store: sql`lower(st.name)`,
  startAt: sql`t.start_at`,
  visitors: visitorsOfTest,
  createdAt: sql`t.created_at`,
}

/** Serves the tests of all stores, and those with problems. */
export function adminTests(serve: StaffServe, { db: { kysely }, clock }: EngineContext): void {
  serve('adminTests', async ({ query }) => {
    const { status, kind, sort = 'createdAt', descending = sort === 'createdAt' } = query
    const where = [
      ...holds(query.search, 't.title', 'st.name', 'st.shop'),
      ...(status ? [sql<SqlBool>`t.status = ${status}`] : []),
      ...(kind ? [sql<SqlBool>`t.kind = ${kind}`] : []),
    ]
    const [{ rows, count }, { rows: counted }] = await Promise.all([
      pageOf<ListRow>(
        kysely,
        { ...query, descending },
        {
          columns: sql`${columns}, t.created_at as "createdAt", s.verdict`,
          from,
          where,
          by: sorts[sort],
          tie: sql`t.created_at desc, t.test_id`,
        },
      ),
      sql<{
        status: StaffTest['status']
        n: number
      }>`select status, count(*)::int as n from tests group by status`.execute(kysely),
    ])
    const counts = Object.fromEntries(
      testStatuses.map(name => [name, counted.find(row => row.status === name)?.n ?? 0]),
    ) as Record<StaffTest['status'], number>
    return { tests: rows.map(listed), count, counts }
  })

  serve('adminTestHealth', async ({ query }) => {
    const now = clock()
    const rows = await inHand()
    const troubled = rows
      .map(row => ({
        ...testOf(row),
        troubles: troublesOf(
          {
            ...row,
            yesterday: dayIn(row.timeZone, now.getTime() - day),
            closed: closedIn(row),
          },
          now,
        ),
      }))
      .filter(({ troubles }) => troubles.length > 0)
    const has = (test: TroubledTest, trouble: string) =>
      test.troubles.some(found => found.trouble === trouble)
    const asked = troubled.filter(test => query.trouble === undefined || has(test, query.trouble))
    const { rows: tests, count } = pageIn(
      asked,
      query,
      ({ title, store }) => `${title} ${store.name} ${store.shop}`,
      test => sortValue(test, query.sort ?? 'store'),
    )
    const troubles = Object.fromEntries(
      testTroubles.map(name => [name, troubled.filter(test => has(test, name)).length]),
    ) as Record<(typeof testTroubles)[number], number>
    return { tests, count, looked: rows.length, troubled: troubled.length, troubles }
  })

  /** All running and held tests, with the facts that show whether they have problems. */
  async function inHand(): Promise<FactsRow[]> {
    const { rows } = await sql<FactsRow>`
      select ${columns}, t.hold_cause as "holdCause", s.verdict->>'kind' as verdict, ${isSplitBrokenOfTest} as "isSplitBroken",
        ${statusSince} as since, st.time_zone as "timeZone",
        (select max(d.day)::text from test_days d where d.store_id = t.store_id and d.test_id = t.test_id and d.dimension = 'all' and d.visitors > 0) as "lastDay",
        (select j.message from jobs j where j.store_id = t.store_id and j.kind = 'testCheck' and j.status = 'errored'
          and not exists (select from jobs k where k.store_id = j.store_id and k.kind = j.kind and k.status = 'completed' and k.updated_at > j.updated_at)
          order by j.updated_at desc limit 1) as "checkError",
        (select coalesce(p.last_error, 'The shop has not taken it.') from published_scripts p where p.store_id = t.store_id and p.wanted > p.published and p.attempts > 0) as "publishError",
        t.audience_ids as "audienceIds", st.feature_flags, st.subscription_status as "subscriptionStatus", st.has_subscribed as "hasSubscribed", (select p.level from plans p where p.plan_id = st.plan_id) as level
      from ${from} where t.status in ('Active', 'OnHold') and st.status = 'installed' order by lower(t.title), t.test_id`.execute(
      kysely,
    )
    return rows
  }
}

/**
 * The capability that a test needs and its store no longer has. Null for a store without a paid
 * plan: its tests are on hold for that reason.
 */
const closedIn = (row: FactsRow): Capability | null =>
  hasLapsed(row) ? null : closedFor(row, capability => can(capability, accessIn(row)))

/** A store's tests, newest first. */
export async function adminTestRows(kysely: Kysely<Schema>, storeId: string): Promise<StaffTest[]> {
  const { rows } =
    await sql<ListRow>`select ${columns}, t.created_at as "createdAt", s.verdict from ${from} where t.store_id = ${storeId} order by t.created_at desc, t.test_id limit 50`.execute(
      kysely,
    )
  return rows.map(listed)
}

const listed = (row: ListRow): StaffTest => ({
  ...testOf(row),
  createdAt: row.createdAt.toISOString(),
  verdict: row.verdict,
})
const testOf = (row: Row) => ({
  id: row.testId,
  title: row.title,
  kind: row.kind,
  status: row.status,
  visitors: row.visitors,
  startAt: row.startAt?.toISOString() ?? null,
  store: storeNameOf(row),
})
const sortValue = (test: TroubledTest, sort: 'title' | 'store' | 'visitors' | 'startAt') =>
  sort === 'store' ? test.store.name : test[sort]
