import { type Selectable, sql } from 'kysely'
import type { Test, TestEvent } from '../../domain/tests/ab-test.ts'
import { quotas } from '../../domain/quota.ts'
import { movedEnd } from '../../domain/tests/planned-end.ts'
import type { TestSummary } from '../../domain/reports/summary.ts'
import { targetsOf } from './arm-states.ts'
import type { EngineContext } from '../context.ts'
import type { TestsTable } from '../db/schema.ts'
import { shopHosts } from '../drafts/draft-rows.ts'
import { emptySummary } from '../reports/empty-summary.ts'
import { revisionOfTest } from '../reports/figures-revision.ts'
import type { Previews } from '../drafts/previews.ts'
import { notFound } from '../http/routes.ts'
import { hypothesesOf } from '../drafts/pictures/screenshot-rows.ts'
import { statusHistory, type StatusHistory } from './status-history.ts'
import { stillSince } from './test-statuses.ts'

type Row = Selectable<TestsTable>

/** The newest events of a history. It holds a merchant's changes, and what the system adds. */
const maxEvents = 2 * quotas.testChanges

/** Reads a test in the form of the API contract. Throws HttpProblem 404. */
export type AnswerTest = (storeId: string, testId: string) => Promise<Test>

/** Reads a test with its histories, its stored result and its preview links. */
export const answerTest = (
  { db, clock }: Pick<EngineContext, 'db' | 'clock'>,
  previews: Previews,
): AnswerTest => {
  // One query for nearly all of the report's head: the row, its two histories and its stored
  // result.
  return async (storeId, testId) => {
    const row = await db.kysely
      .selectFrom('tests as t')
      .leftJoin('test_summaries as s', join =>
        join.onRef('s.store_id', '=', 't.store_id').onRef('s.test_id', '=', 't.test_id'),
      )
      .selectAll('t')
      .select([
        's.summary',
        stillSince.as('still_since'),
        revisionOfTest.as('revision'),
        statusHistory.as('history'),
        sql<
          TestEvent[] | null
        >`(select json_agg(json_build_object('kind', e.kind, 'at', e.at, 'detail', e.detail, 'value', e.value) order by e.at, e.seq)
          from (select * from test_events l where l.store_id = t.store_id and l.test_id = t.test_id order by l.at desc, l.seq desc limit ${sql.lit(maxEvents)}) e)`.as(
          'events',
        ),
      ])
      .where('t.store_id', '=', storeId)
      .where('t.test_id', '=', testId)
      .executeTakeFirst()
    if (!row) throw notFound('test')
    const hosts = await shopHosts(db.kysely, storeId)
    const now = clock()
    const content = testContent(
      row,
      row.summary ?? emptySummary(row, now),
      row.history ?? [],
      row.events ?? [],
      now,
    )
    return {
      ...content,
      revision: row.revision,
      hypotheses: await hypothesesOf(db.kysely, row),
      previewUrls: await previews.urls({
        storeId,
        of: 'test',
        id: testId,
        hosts,
        pages: row.pages,
      }),
    }
  }
}

const iso = (at: Date | null): string | null => at?.toISOString() ?? null
/** json_build_object writes an instant in the database's own form. */
const isoText = (at: string): string => new Date(at).toISOString()

type BaseRow = Pick<
  Row,
  | 'test_id'
  | 'kind'
  | 'title'
  | 'status'
  | 'goal'
  | 'weights'
  | 'pages'
  | 'created_at'
  | 'updated_at'
  | 'start_at'
  | 'ends_at'
  | 'ended_at'
  | 'applied_at'
  | 'winner_off_at'
  | 'is_demo'
  | 'is_imported'
> & { still_since: Date | null }
/** The fields of a test that the list and the report share. */
export function testBase(row: BaseRow, now: Date) {
  return {
    id: row.test_id,
    kind: row.kind,
    title: row.title,
    status: row.status,
    goal: row.goal,
    weights: row.weights,
    pages: row.pages,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    startAt: iso(row.start_at),
    endsAt: iso(movedEnd(row.ends_at, row.still_since, now)),
    endedAt: iso(row.ended_at),
    appliedAt: row.winner_off_at ? null : iso(row.applied_at),
    isDemo: row.is_demo,
    isImported: row.is_imported,
  }
}

function testContent(
  row: Row & BaseRow,
  summary: TestSummary,
  history: NonNullable<StatusHistory>,
  events: TestEvent[],
  now: Date,
): Omit<Test, 'previewUrls' | 'hypotheses' | 'revision'> {
  const [control, variant] = targetsOf(row)
  return {
    ...testBase(row, now),
    notInFile: row.not_in_file,
    hypothesisDescription: row.hypothesis_description,
    controlTitle: row.control_title,
    variantTitle: row.variant_title,
    statusHistory: history.map(({ status, at }) => ({
      status,
      appliedOn: new Date(at).toISOString(),
    })),
    events: events.map(e => ({ ...e, at: isoText(e.at) })),
    domSelectors: row.dom_selectors,
    controlUrl: row.control_url,
    redirectUrl: row.redirect_url,
    minimumEffect: row.minimum_effect,
    plannedVisitors: row.planned_visitors,
    estimatedCompletionDate: summary.estimatedCompletionDate,
    launchAt: iso(row.launch_at),
    automaticallyEndAt: iso(row.automatically_end_at),
    summary,
    control,
    variant,
    resourceIds: row.resource_ids,
    audienceIds: row.audience_ids,
    apiMode: row.kind === 'Api' ? (row.api_mode ?? 'automatic') : null,
    holdCause: row.hold_cause,
    // Null for a winner that an uninstall switched off, so that the merchant can apply it again.
    appliedArm: row.winner_off_at ? null : row.applied_arm,
    ...(row.sends_by_script && { sendsByScript: true as const }),
  }
}
