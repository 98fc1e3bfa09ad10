import { type RawBuilder, sql, type SqlBool } from 'kysely'
import { type ListTab, listTabs } from '../../domain/tests/ab-test.ts'
import type { Output } from '../../domain/api/contract.ts'
import type { Goal } from '../../domain/reports/goal.ts'
import { type ListDigest, maxUnapplied } from '../../domain/tests/list-digest.ts'
import type { TestKind } from '../../domain/tests/test-kind.ts'
import { testBase } from './ab-tests-answer.ts'
import type { EngineContext } from '../context.ts'
import { revisionOfStore } from '../reports/figures-revision.ts'
import { primary } from '../reports/primary-result.ts'
import type { Serve } from '../http/routes.ts'
import { scriptWinners } from '../script/script-winners.ts'
import { startOf } from '../reports/first-steps.ts'
import { stillSince } from './test-statuses.ts'

type List = Output<'tests'>

/** Counted visitors of both arms, of the test whose summary is `s`. */
export const visitorsOfTest = sql<number>`coalesce(s.visitors, 0)`
/** Whether the test whose summary is `s` has a broken split. */
export const isSplitBrokenOfTest = sql<boolean>`coalesce(s.is_split_broken, false)`
const sorts = {
  title: sql`lower(t.title)`,
  visitors: visitorsOfTest,
  createdAt: sql`t.created_at`,
  startAt: sql`t.start_at`,
  lift: sql`(${primary}->>'lift')::float8`,
  chanceToWin: sql`(${primary}->>'chanceToWin')::float8`,
}

const and = (conditions: RawBuilder<unknown>[]) => sql<SqlBool>`${sql.join(conditions, sql` and `)}`
const perTab = (rows: { tab: ListTab; count: number }[]): List['counts'] => {
  const of = new Map(rows.map(({ tab, count }) => [tab, count]))
  return Object.fromEntries(listTabs.map(tab => [tab, of.get(tab) ?? 0])) as List['counts']
}

export function testLists(serve: Serve, { db, clock }: EngineContext): void {
  serve(
    'tests',
    async (
      {
        query: {
          page = 0,
          perPage = 10,
          status,
          sort = 'createdAt',
          descending = sort === 'createdAt',
          search = '',
          kind,
          goal,
        },
      },
      { storeId },
    ) => {
      const found = search.trim().toLowerCase()
      const paging = { offset: page * perPage, limit: perPage, found, kind, goal }
      // Read the revision first: if something changes while we read the list, the page then sees a
      // change.
      const revision = await revisionOfStore(db, storeId)
      const [overview, start, winners, foundIn, shown] = await Promise.all([
        overviewOf(storeId),
        startOf(db, storeId),
        scriptWinners(db.kysely, storeId),
        found || kind || goal ? foundInTabs(storeId, paging) : null,
        status === 'Draft'
          ? draftPage(storeId, sort === 'title' ? 'title' : 'createdAt', descending, paging)
          : testPage(storeId, status, sort, descending, paging),
      ])
      return { ...overview, start, scriptWinners: winners, foundIn, ...shown, revision }
    },
    { keep: true },
  )

  serve('activeTest', async ({ query: { type, suffix = '' } }, { storeId }) => {
    const shows = (target: 'control_target' | 'variant_target') =>
      sql<SqlBool>`(${sql.ref(target)}->>'templateType' = ${type} and ${sql.ref(target)}->>'suffix' = ${suffix})`
    const test = await db.kysely
      .selectFrom('tests')
      .select(['test_id as id', 'title', 'status'])
      .where('store_id', '=', storeId)
      .where('status', '!=', 'Ended')
      .where(eb => eb.or([shows('control_target'), shows('variant_target')]))
      .orderBy('created_at', 'desc')
      .orderBy('test_id')
      .limit(1)
      .executeTakeFirst()
    return { test: test ?? null }
  })

  type Paging = {
    offset: number
    limit: number
    found: string
    kind: TestKind | undefined
    goal: Goal | undefined
  }
  async function testPage(
    storeId: string,
    status: Exclude<ListTab, 'Draft'> | undefined,
    sort: keyof typeof sorts,
    descending: boolean,
    { offset, limit, found, kind, goal }: Paging,
  ) {
    const wanted = and([
      ...matching(storeId, { found, kind, goal }),
      ...(status ? [sql`t.status = ${status}`] : []),
    ])
    const withSummary = (tests: typeof db.kysely) =>
      tests
        .selectFrom('tests as t')
        .leftJoin('test_summaries as s', join =>
          join.onRef('s.store_id', '=', 't.store_id').onRef('s.test_id', '=', 't.test_id'),
        )
    // Choose the page first: the goals are some kB, so we read only those that are shown or sorted
    // by.
    const order = sql`${sorts[sort]} ${descending ? sql`desc` : sql`asc`} nulls last, t.created_at desc, t.test_id`
    const rows = await withSummary(db.kysely)
      .innerJoin(
        withSummary(db.kysely)
          .select([
            't.test_id',
            sql<number>`count(*) over ()::int`.as('found'),
            sql<number>`row_number() over (order by ${order})`.as('place'),
          ])
          .where(wanted)
          .orderBy('place')
          .offset(offset)
          .limit(limit)
          .as('page'),
        'page.test_id',
        't.test_id',
      )
      .select([
        't.test_id',
        't.kind',
        't.title',
        't.status',
        't.goal',
        't.weights',
        't.pages',
        't.created_at',
        't.updated_at',
        't.start_at',
        't.ends_at',
        't.ended_at',
        't.applied_at',
        't.winner_off_at',
        't.is_demo',
        't.is_imported',
        visitorsOfTest.as('visitors'),
        primary.as('result'),
        stillSince.as('still_since'),
        's.verdict',
        'page.found',
        's.daily',
      ])
      .where('t.store_id', '=', storeId)
      .orderBy('page.place')
      .execute()
    // Past the last page there is no row to carry the count.
    const count =
      rows[0]?.found ??
      (offset === 0
        ? 0
        : (
            await db.kysely
              .selectFrom('tests as t')
              .select(sql<number>`count(*)::int`.as('n'))
              .where(wanted)
              .executeTakeFirstOrThrow()
          ).n)
    const now = clock()
    return {
      tests: rows.map(row => ({
        ...testBase(row, now),
        visitors: row.visitors,
        daily: row.daily,
        result: row.result,
        verdict: row.verdict,
      })),
      drafts: [],
      count,
    }
  }

  type Filter = Pick<Paging, 'found' | 'kind' | 'goal'>
  /** Conditions for the rows `t` of tests or drafts. */
  function matching(storeId: string, { found, kind, goal }: Filter) {
    return [
      sql`t.store_id = ${storeId}`,
      ...(found ? [sql`strpos(lower(t.title), ${found}) > 0`] : []),
      ...(kind ? [sql`t.kind = ${kind}`] : []),
      ...(goal ? [sql`t.goal = ${goal}`] : []),
    ]
  }

  async function foundInTabs(storeId: string, filter: Filter): Promise<List['counts']> {
    const wanted = and(matching(storeId, filter))
    const { rows } = await sql<{ tab: ListTab; count: number }>`
      select t.status as tab, count(*)::int as count from tests t where ${wanted} group by t.status
      union all select 'Draft', count(*)::int from drafts t where ${wanted}`.execute(db.kysely)
    return perTab(rows)
  }

  async function draftPage(
    storeId: string,
    sort: 'title' | 'createdAt',
    descending: boolean,
    { offset, limit, found, kind, goal }: Paging,
  ) {
    const wanted = db.kysely
      .selectFrom('drafts as t')
      .where(and(matching(storeId, { found, kind, goal })))
    const { n: count } = await wanted
      .select(sql<number>`count(*)::int`.as('n'))
      .executeTakeFirstOrThrow()
    const rows = await wanted
      .select(['draft_id', 'kind', 'title', 'goal', 'created_at', 'updated_at'])
      .orderBy(sort === 'title' ? sql`lower(title)` : sql`created_at`, descending ? 'desc' : 'asc')
      .orderBy('draft_id')
      .offset(offset)
      .limit(limit)
      .execute()
    const drafts = rows.map(row => ({
      id: row.draft_id,
      kind: row.kind,
      title: row.title,
      goal: row.goal,
      createdAt: row.created_at.toISOString(),
      updatedAt: row.updated_at.toISOString(),
    }))
    return { tests: [], drafts, count }
  }

  /**
   * The count of each tab, and what waits for the merchant. A test with a broken split counts as
   * neither winner nor loser, whatever its verdict was before.
   */
  async function overviewOf(storeId: string): Promise<Pick<List, 'counts' | 'digest'>> {
    const found = (kind: 'winner' | 'loser', status: 'Active' | 'Ended') =>
      sql`t.status = ${status} and t.verdict_kind = ${kind} and not ${isSplitBrokenOfTest}`
    type Row = {
      tab: ListTab
      count: number
      ids: string[] | null
      winners: string[] | null
      losers: string[] | null
      undecided: string[] | null
      unapplied: ListDigest['unapplied'] | null
    }
    const { rows } = await sql<Row>`
      select t.status as tab, count(*)::int as count,
        json_agg(t.test_id order by t.updated_at desc) filter (where t.status in ('OnHold', 'Suspended')) as ids,
        json_agg(t.test_id order by t.verdict_at) filter (where ${found('winner', 'Active')}) as winners,
        json_agg(t.test_id order by t.verdict_at) filter (where ${found('loser', 'Active')}) as losers,
        json_agg(t.test_id order by t.start_at) filter (where t.status = 'Active' and t.verdict_kind is null and not ${isSplitBrokenOfTest}) as undecided,
        json_agg(json_build_object('id', t.test_id, 'endedAt', to_char(t.ended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by t.ended_at desc)
          filter (where ${found('winner', 'Ended')} and t.applied_at is null and t.kind <> 'Api' and not t.is_imported and t.start_at is not null) as unapplied
      from tests t left join test_summaries s on s.store_id = t.store_id and s.test_id = t.test_id where t.store_id = ${storeId} group by t.status
      union all select 'Draft', count(*)::int, null, null, null, null, null from drafts where store_id = ${storeId}`.execute(
      db.kysely,
    )
    const of = new Map(rows.map(row => [row.tab, row]))
    const running = of.get('Active')
    return {
      counts: perTab(rows),
      digest: {
        winners: running?.winners ?? [],
        losers: running?.losers ?? [],
        undecided: running?.undecided ?? [],
        onHold: of.get('OnHold')?.ids ?? [],
        suspended: of.get('Suspended')?.ids ?? [],
        unapplied: (of.get('Ended')?.unapplied ?? []).slice(0, maxUnapplied),
      },
    }
  }
}
