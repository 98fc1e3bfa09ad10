import { randomUUID } from 'node:crypto'
import { audienceCapability } from '../../../domain/audiences/audience.ts'
import { problemsOfChecks } from '../../../domain/tests/launch-check.ts'
import { plannedEnd } from '../../../domain/tests/planned-end.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import { quotas, quotaWords } from '../../../domain/quota.ts'
import { access } from '../../plans/access.ts'
import { audienceProblems } from '../../audiences/audiences.ts'
import type { EngineContext } from '../../context.ts'
import { draftRow, type DraftRow, requireKind } from '../../drafts/draft-rows.ts'
import { requireInstalled } from '../../db/installed.ts'
import type { Reader } from '../../db/types.ts'
import { browserProblems } from './launch-findings.ts'
import { launchReadiness } from './launch-ready.ts'
import { scriptCheck } from './launch-script.ts'
import { countsTaxFromNow } from './launch-tax.ts'
import { showPictures } from '../../drafts/pictures/picture-shown.ts'
import { notFound } from '../../http/routes.ts'
import { experimentCheck } from '../../script/native-experiments.ts'
import { limitTrouble, subscriptionTrouble } from '../test-checks.ts'
import { samplePlanOfDraft } from '../../drafts/sample-plan.ts'
import { requirePossible } from '../../platform/store-capabilities.ts'
import { productsLaunched } from '../../prices/test-products.ts'
import { scheduleJobs } from '../test-schedule.ts'

/**
 * Makes a test from a draft, running or scheduled, and publishes it. Returns the test's id; another
 * launch of the same draft returns the same id. Throws HttpProblem 400 with everything that
 * prevents the launch, each with its field.
 */
export async function launch(
  context: EngineContext,
  storeId: string,
  draftId: string,
): Promise<string> {
  // If a second click or another tab saves the draft meanwhile, we read it again and launch the
  // version that is there now.
  for (let attempt = 0; attempt < 5; attempt++) {
    const testId =
      (await launchOnce(context, storeId, draftId)) ??
      (await launchedFrom(context, storeId, draftId))
    if (testId) return testId
  }
  throw new HttpProblem(409, 'This draft was changed elsewhere while it was being launched.')
}

/** Returns null when the draft changed after it was checked. */
async function launchOnce(
  context: EngineContext,
  storeId: string,
  draftId: string,
): Promise<string | null> {
  const { db, clock, publisher, jobs, journal } = context
  const draft = await draftRow(db.kysely, storeId, draftId)
  if (!draft) return (await launchedFrom(context, storeId, draftId)) ?? fail(notFound('draft'))
  const files = await journal.filesOf(db.kysely, storeId, draftId)
  // A change for this draft may be on its way into the shop. The checks below must see it.
  await journal.settled(storeId)
  await requireKind(context, storeId, draft.kind)
  await requirePossible(context, storeId, draft.kind, { isFresh: true })
  await requireAudiences(context, draft)
  await requireSubscription(db.kysely, storeId)
  await requireVisitors(context, draft)
  await requireRoomForTest(context, storeId)
  const counts_tax = await countsTaxFromNow(context, storeId)
  const { ready, problems } = await launchReadiness(context, draft)
  const inTheWay = [
    ...problems,
    ...problemsOfChecks([
      await scriptCheck(context, draft),
      ...(await experimentCheck(context, draft)),
    ]),
    ...(await browserProblems(context, draft)),
  ]
  if (inTheWay.length > 0) throw new HttpProblem(400, 'This test is not ready to launch.', inTheWay)
  // After a reinstall its pictures are no longer on the shop.
  await showPictures(context, storeId, draftId)
  const now = clock()
  // A planned start in the past counts as now.
  const launchAt = draft.launch_at && draft.launch_at > now ? draft.launch_at : null
  const status = launchAt ? 'Scheduled' : 'Active'
  const pages = JSON.parse(ready.pages) as string[]
  const { plan } = await samplePlanOfDraft(context, draft, {
    pages,
    redirectUrl: ready.redirect_url,
  })
  const testId = await db.kysely.transaction().execute(async trx => {
    await requireInstalled(trx, storeId)
    // The checks took seconds. If the subscription lapsed meanwhile, the store's tests have been
    // suspended, and this one would run. A later lapse is stored after our commit, because the
    // store is locked, and finds this test.
    await requireSubscription(trx, storeId)
    // The launch that deletes the draft makes the test. If two run at once, the second finds the
    // draft gone.
    const taken = await trx
      .selectFrom('drafts')
      .select('draft_id')
      .where('store_id', '=', storeId)
      .where('draft_id', '=', draftId)
      .where('version', '=', draft.version)
      .forUpdate()
      .executeTakeFirst()
    // The version says nothing about the files that we write for a draft. No such change begins
    // while we hold the draft (draft-claims.ts).
    if (!taken || (await journal.filesOf(trx, storeId, draftId)) !== files) return null
    await trx
      .deleteFrom('drafts')
      .where('store_id', '=', storeId)
      .where('draft_id', '=', draftId)
      .execute()
    // An audience may have been deleted meanwhile, too.
    const gone = await audienceProblems({ db: { kysely: trx } }, storeId, draft.audience_ids)
    if (gone.length > 0) throw new HttpProblem(400, 'This test is not ready to launch.', gone)
    const test_id = randomUUID()
    await trx
      .insertInto('tests')
      .values({
        ...contentOf(draft),
        ...ready,
        test_id,
        draft_id: draftId,
        status,
        launch_at: draft.launch_at,
        start_at: launchAt ? null : now,
        ends_at: plannedEnd(launchAt ?? now, plan.days),
        ended_at: null,
        applied_at: null,
        planned_visitors: plan.plannedVisitors,
        needed_visitors: plan.neededVisitors,
        counts_tax,
        updated_at: now,
        verdict_kind: null,
        verdict_at: null,
        verdict_lift: null,
        verdict_chance: null,
      })
      .execute()
    await trx
      .insertInto('test_history')
      .values({ store_id: storeId, test_id, status, applied_on: now })
      .execute()
    await trx
      .insertInto('test_events')
      .values([
        {
          store_id: storeId,
          test_id,
          kind: 'Created' as const,
          at: draft.created_at,
          detail: null,
          value: null,
          mark: 'Created',
        },
        ...(launchAt
          ? []
          : [
              {
                store_id: storeId,
                test_id,
                kind: 'Start' as const,
                at: now,
                detail: null,
                value: null,
                mark: 'Start',
              },
            ]),
      ])
      .execute()
    await productsLaunched(trx, storeId, draftId, test_id)
    await journal.adopt(trx, storeId, draftId, test_id)
    await scheduleJobs(trx, jobs, {
      store_id: storeId,
      test_id,
      launch_at: launchAt,
      automatically_end_at: draft.automatically_end_at,
    })
    if (!launchAt) await publisher.request(trx, storeId)
    return test_id
  })
  if (testId && !launchAt) await publisher.publish(storeId)
  return testId
}

/** The columns of a draft that a test has too, in the form in which the database stores them. */
export function contentOf(draft: DraftRow) {
  const {
    origin: _,
    version: __,
    variant_created_at: ___,
    lift_assist_id: ____,
    template_kind: _____,
    change_state: ______,
    draft_id: _______,
    expected_visitors: ________,
    last_save: _________,
    ...content
  } = draft
  return { ...content, ...jsonColumns(draft) }
}

type Targeted = Pick<
  DraftRow,
  | 'weights'
  | 'dom_selectors'
  | 'control_target'
  | 'variant_target'
  | 'resource_ids'
  | 'audience_ids'
>
export const jsonColumns = (row: Targeted) => ({
  weights: JSON.stringify(row.weights),
  dom_selectors: JSON.stringify(row.dom_selectors),
  resource_ids: JSON.stringify(row.resource_ids),
  audience_ids: JSON.stringify(row.audience_ids),
  control_target: row.control_target && JSON.stringify(row.control_target),
  variant_target: row.variant_target && JSON.stringify(row.variant_target),
})

/** Throws HttpProblem 409 when the store has no paid plan. */
async function requireSubscription(kysely: Reader, storeId: string): Promise<void> {
  if (await subscriptionTrouble({ kysely }, storeId))
    throw new HttpProblem(
      409,
      'There is no active subscription. Choose a plan first, then launch the test.',
    )
}

/**
 * Throws HttpProblem 403 when the plan does not include the draft's audiences. They may be older
 * than the plan.
 */
async function requireAudiences(
  context: EngineContext,
  { store_id, audience_ids }: DraftRow,
): Promise<void> {
  const capability = audienceCapability(audience_ids)
  if (capability) (await access(context, store_id)).require(capability)
}

/**
 * Throws HttpProblem 409 when this cycle's visitors are used up. A test that starts later may start
 * in another cycle.
 */
async function requireVisitors(
  context: EngineContext,
  { store_id, launch_at }: DraftRow,
): Promise<void> {
  if (launch_at && launch_at > context.clock()) return
  const trouble = await limitTrouble(context, store_id)
  if (trouble)
    throw new HttpProblem(
      409,
      `${trouble.message} Choose a plan with more visitors, or wait until usage resets.`,
    )
}

/**
 * Throws HttpProblem 409 when the store has reached the limit of tests. There is a limit because
 * all tests of the store are read for the events that arrive.
 */
async function requireRoomForTest({ db }: EngineContext, storeId: string): Promise<void> {
  const { count } = await db.kysely
    .selectFrom('tests')
    .select(eb => eb.fn.countAll<string>().as('count'))
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()
  if (Number(count) >= quotas.tests) throw new HttpProblem(409, quotaWords.tests)
}

async function launchedFrom(
  { db }: EngineContext,
  storeId: string,
  draftId: string,
): Promise<string | null> {
  const test = await db.kysely
    .selectFrom('tests')
    .select('test_id')
    .where('store_id', '=', storeId)
    .where('draft_id', '=', draftId)
    .executeTakeFirst()
  return test?.test_id ?? null
}

const fail = (problem: HttpProblem): never => {
  throw problem
}
