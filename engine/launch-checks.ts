import { sql } from 'kysely'
import { closedMessage } from '../domain/access.ts'
import { audienceCapability } from '../domain/audience.ts'
import { isFinished } from '../domain/job.ts'
import {
  good,
  inOrder,
  type LaunchCheck,
  launchCheck,
  type LaunchChecks,
  lengthCheck,
  namesOf,
  problemChecks,
  type Sharing,
  sharingCheck,
  uncompared,
} from '../domain/launch-check.ts'
import { isSamePage, leadingOn } from '../domain/redirect-url.ts'
import { kindAvailable, kindCapability } from '../domain/test-kind.ts'
import { targetKind } from '../domain/test-target.ts'
import { access } from './access.ts'
import { audiencesById, previewOf } from './audience-preview.ts'
import type { EngineContext } from './context.ts'
import { draftRow, type DraftRow, requireDraft } from './draft-rows.ts'
import { redirectsOf } from './exclusion.ts'
import type { JobRun } from './jobs/jobs.ts'
import { contentHash, findingsOf, keepFindings } from './launch-findings.ts'
import { launchReadiness, type Ready } from './launch-ready.ts'
import { scriptCheck } from './launch-script.ts'
import { visitDraft } from './launch-visits.ts'
import type { Previews } from './previews.ts'
import { waitingWith } from './product-rows.ts'
import type { Serve } from './routes.ts'
import type { ShopBrowser } from './shop-browser.ts'
import { limitTrouble, subscriptionTrouble } from './test-checks.ts'
import { type DraftPlan, planOfDraft } from './test-plan.ts'

const mostRounds = 3

/** The list before a launch: what can be told at once, and what a browser finds on the shop's pages. */
export function launchChecks(
  serve: Serve,
  context: EngineContext,
  previews: Previews,
  browser: ShopBrowser,
): void {
  const {
    db: { kysely },
    jobs,
  } = context
  const keyOf = (draftId: string): string => `launchCheck ${draftId}`

  serve('draftChecks', async ({ params: { id } }, { storeId }) => {
    const draft = await requireDraft(kysely, storeId, id)
    const { checks, sharing } = await checksNow(context, draft)
    return { version: draft.version, checks, sharing, browser: await browserPart(draft) }
  })

  serve('startDraftChecks', async ({ params: { id } }, { storeId }) => {
    const { draft_id } = await requireDraft(kysely, storeId, id)
    if (!browser.isThere()) return { jobId: null }
    return {
      jobId: await kysely.transaction().execute(trx =>
        jobs.add(trx, {
          storeId,
          kind: 'launchCheck',
          payload: { draft: draft_id },
          key: keyOf(draft_id),
        }),
      ),
    }
  })

  jobs.on('launchCheck', async run => {
    for (let round = 1; ; round++) {
      const draft = await drafted(run)
      // Launched or deleted since it was asked for.
      if (!draft) return
      const content = await contentHash(context, draft),
        found = await visitDraft(context, previews, browser, draft, run)
      const after = await drafted(run)
      // Changed while the browser looked: it looks again, unless that never ends.
      if (round < mostRounds && after && content !== (await contentHash(context, after))) continue
      return keepFindings(context, draft, content, found)
    }
  })

  const drafted = ({ storeId, payload }: Pick<JobRun, 'storeId' | 'payload'>) =>
    draftRow(kysely, storeId, String(payload['draft']))

  async function browserPart(draft: DraftRow): Promise<LaunchChecks['browser']> {
    const nothing = { checks: [], checkedAt: null, jobId: null, progress: 0, message: null }
    if (!browser.isThere()) {
      const without = launchCheck(
        'browser',
        'warn',
        'The pages cannot be opened automatically on this server.',
        { remedy: 'Open both previews yourself before you launch.' },
      )
      return { ...nothing, state: 'none', checks: [without] }
    }
    const job = await kysely
      .selectFrom('jobs')
      .select(['job_id', 'status', 'message', 'progress', 'updated_at'])
      .where('store_id', '=', draft.store_id)
      .where('key', '=', keyOf(draft.draft_id))
      .orderBy(sql`status in ('completed', 'errored')`)
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    const found = await findingsOf(context, draft)
    const about = {
      checks: found?.checks ?? [],
      checkedAt: found?.checkedAt.toISOString() ?? null,
      jobId: job?.job_id ?? null,
      progress: job?.progress ?? 0,
      message: job?.message ?? null,
    }
    if (job && !isFinished(job.status)) return { ...about, state: 'running' }
    if (job?.status === 'errored' && (!found || found.checkedAt < job.updated_at))
      return { ...about, checks: found && !found.isStale ? found.checks : [], state: 'failed' }
    if (!found) return { ...nothing, state: 'none' }
    return { ...about, message: null, state: found.isStale ? 'stale' : 'done' }
  }
}

/** All that can be told without opening a page: of the draft, the store and the shop as they are now. */
async function checksNow(
  context: EngineContext,
  draft: DraftRow,
): Promise<{ checks: LaunchCheck[]; sharing: Sharing }> {
  const { ready, problems, unmatched, isUncompared } = await launchReadiness(context, draft)
  const pages = (JSON.parse(ready.pages) as (string | null)[]).filter(page => page !== null)
  const reds = problemChecks(problems)
  const fine = (name: LaunchCheck['name'], message: string): LaunchCheck[] =>
    reds.some(check => check.name === name) ? [] : [good(name, message)]
  const planned = await planOfDraft(context, draft, { pages, redirectUrl: ready.redirect_url }),
    sharing = sharingOf(planned)
  const kind = targetKind(draft.kind)
  const isLater = draft.launch_at !== null && draft.launch_at > context.clock()
  const checks = [
    ...reds,
    ...fine('filled', 'Name, goal and split are set.'),
    await planCheck(context, draft),
    ...(await visitorsCheck(context, draft, isLater)),
    await scriptCheck(context, draft.store_id),
    ...(isUncompared ? [uncompared] : []),
    ...(kind === 'template' || kind === 'theme'
      ? fine(
          'target',
          `Both ${kind === 'theme' ? 'themes are there and fit the shop’s pages' : 'templates are in the live theme'}.`,
        )
      : []),
    ...(draft.kind === 'PageElement' && !reds.some(({ name }) => name === 'pages')
      ? [pagesCheck(unmatched)]
      : []),
    ...(kind === 'url'
      ? reds.some(({ name }) => name === 'redirect')
        ? []
        : [
            redirectCheck(
              ready,
              leadingOn(ready.redirect_url, await redirectsOf(context.db.kysely, draft.store_id)),
            ),
          ]
      : []),
    ...(draft.kind === 'Price' && !reds.some(({ name }) => name === 'products')
      ? [productsCheck(await waitingWith(context.db.kysely, draft.store_id, draft.draft_id))]
      : []),
    sharingCheck(sharing),
    ...(reds.some(({ name }) => name === 'audience') ? [] : [await audienceCheck(context, draft)]),
    ...(draft.launch_at && !isLater
      ? [
          launchCheck(
            'schedule',
            'warn',
            'The start has passed: the test starts as soon as it is launched.',
            { remedy: 'Set another start to launch it later.' },
          ),
        ]
      : fine(
          'schedule',
          isLater
            ? 'It starts by itself at the time you set.'
            : 'It starts as soon as you launch it.',
        )),
    await lengthOf(context, draft, planned),
  ]
  return { checks: inOrder(checks), sharing }
}

async function planCheck(context: EngineContext, draft: DraftRow): Promise<LaunchCheck> {
  const capability = kindCapability[draft.kind],
    ofAudience = audienceCapability(draft.audience_ids),
    { can } = await access(context, draft.store_id)
  if (capability && !can(capability))
    return launchCheck('plan', 'bad', closedMessage(capability), {
      remedy: 'Choose a plan that includes it, or create another kind of test.',
      capability,
    })
  if (ofAudience && !can(ofAudience))
    return launchCheck('plan', 'bad', closedMessage(ofAudience), {
      remedy: 'Choose a plan that includes it, or remove your own audiences from this test.',
      field: 'audienceIds',
      capability: ofAudience,
    })
  const trouble = await subscriptionTrouble(context.db, draft.store_id)
  if (trouble)
    return launchCheck('plan', 'bad', 'There is no active subscription.', {
      remedy: 'Choose a plan first, then launch the test.',
    })
  return good('plan', kindAvailable(draft.kind))
}

/** A test that starts later may start in another cycle. */
async function visitorsCheck(
  context: EngineContext,
  { store_id }: DraftRow,
  isLater: boolean,
): Promise<LaunchCheck[]> {
  const trouble = await limitTrouble(context, store_id)
  if (!trouble) return [good('visitors', 'Visitors are left in this billing cycle.')]
  return [
    launchCheck('visitors', isLater ? 'warn' : 'bad', trouble.message, {
      remedy: 'Choose a plan with more visitors, or wait until usage resets.',
    }),
  ]
}

const pagesCheck = (unmatched: readonly string[]): LaunchCheck =>
  unmatched.length > 0
    ? launchCheck('pages', 'warn', `No page of the shop matches ${namesOf(unmatched)} now.`, {
        remedy: 'Remove it, or keep it for pages that you will add.',
      })
    : good('pages', 'Every address matches a page of your shop.')

/** What cannot be applied from here, or would lead on once it is. */
function redirectCheck(
  { control_url, redirect_url }: Ready,
  others: readonly { title: string }[],
): LaunchCheck {
  if (isSamePage(control_url, redirect_url))
    return launchCheck(
      'redirect',
      'warn',
      'Control and variant are the same page with a different query.',
      {
        remedy:
          'You can test this, but not apply it from here: the redirect would lead the page to itself. If it wins, change the page itself.',
      },
    )
  if (others.length === 0) return good('redirect', 'Both pages open and do not redirect elsewhere.')
  return launchCheck(
    'redirect',
    'warn',
    `The variant is the page that ${namesOf(others.map(({ title }) => title))} ${others.length > 1 ? 'send' : 'sends'} visitors on from.`,
    {
      remedy:
        'A visitor takes part in only one of them. If you apply both, one redirects to the other; to avoid that, enter the last page itself.',
    },
  )
}

/** A product is in one running price test at a time: while this one runs, another that waits does not start. */
const productsCheck = (waiting: readonly string[]): LaunchCheck =>
  waiting.length > 0
    ? launchCheck(
        'products',
        'warn',
        `${namesOf(waiting)} ${waiting.length > 1 ? 'are not running and use' : 'is not running and uses'} products of this test.`,
        {
          remedy: `While this test runs, ${waiting.length > 1 ? 'those tests' : 'that test'} cannot start or resume. End the tests that you no longer need, or wait.`,
        },
      )
    : good('products', 'All products are for sale and in no other price test.')

async function audienceCheck(
  context: EngineContext,
  { store_id: storeId, audience_ids: ids }: DraftRow,
): Promise<LaunchCheck> {
  if (ids.length === 0) return good('audience', 'All visitors of the tested pages take part.')
  const { visitors, share } = await previewOf(
    context,
    storeId,
    await audiencesById(context, storeId, ids),
  )
  // A shop without a past says nothing about who will come.
  if (visitors === 0 || share === null) return good('audience', 'The audience exists.')
  return share > 0
    ? good(
        'audience',
        `${share < 0.01 ? 'Less than 1%' : `${Math.round(share * 100)}%`} of the last 28 days’ visitors were in the audience.`,
      )
    : launchCheck('audience', 'warn', 'None of the last 28 days’ visitors was in the audience.', {
        remedy: 'Check its conditions, or launch if you expect such visitors.',
      })
}

const sharingOf = ({ others, plan, daysAlone }: DraftPlan): Sharing => ({
  tests: others,
  days: plan.days,
  daysAlone,
})

async function lengthOf(
  { db }: EngineContext,
  { store_id, minimum_effect, automatically_end_at }: DraftRow,
  { plan, basis, others, endsAt }: DraftPlan,
): Promise<LaunchCheck> {
  const { time_zone: timeZone } = await db.kysely
    .selectFrom('stores')
    .select('time_zone')
    .where('store_id', '=', store_id)
    .executeTakeFirstOrThrow()
  const { source, hasHistory } = basis
  return lengthCheck(
    {
      ...plan,
      source,
      hasHistory,
      dailyVisitors: basis.dailyVisitors / (1 + others.length),
      endsAt: endsAt.toISOString(),
    },
    {
      minimumEffect: minimum_effect,
      timeZone,
      automaticallyEndAt: automatically_end_at?.toISOString() ?? null,
    },
  )
}
