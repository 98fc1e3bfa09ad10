import { sql } from 'kysely'
import { isFinished } from '../../../domain/jobs/job.ts'
import { launchCheck, type LaunchChecks } from '../../../domain/tests/launch-check.ts'
import type { EngineContext } from '../../context.ts'
import { draftRow, type DraftRow, requireDraft } from '../../drafts/draft-rows.ts'
import type { JobRun } from '../../jobs/jobs.ts'
import { checksNow } from './launch-checks-now.ts'
import { contentHash, findingsOf, keepFindings } from './launch-findings.ts'
import { visitDraft } from './launch-visits.ts'
import type { Previews } from '../../drafts/previews.ts'
import type { Serve } from '../../http/routes.ts'
import type { ShopBrowser } from '../../browser/shop-browser.ts'

type Checks = ReturnType<typeof checksNow>

const maxRounds = 3
/**
 * While a browser looks, an open page asks every two seconds. It gets the other checks as they were
 * so many milliseconds ago at most, because they ask the shop, whose limit of calls the look needs.
 */
const checksKept = 15_000,
  /** Drafts whose checks are kept. */ maxKept = 200

/**
 * The API of the check list before a launch: what we know at once, and what a browser finds on the
 * shop's pages.
 */
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
    const seen = await browserPart(draft)
    const { checks, sharing } =
      seen.state === 'running' ? await keptChecks(draft) : await checksNow(context, draft)
    return { version: draft.version, checks, sharing, browser: seen }
  })

  const kept = new Map<string, { version: number; until: number; made: Checks }>()
  function keptChecks(draft: DraftRow): Checks {
    const { draft_id: id, version } = draft,
      now = performance.now(),
      last = kept.get(id)
    if (last?.version === version && last.until > now) return last.made
    const made = checksNow(context, draft)
    kept.delete(id)
    kept.set(id, { version, until: now + checksKept, made })
    if (kept.size > maxKept) kept.delete(kept.keys().next().value!)
    made.catch(() => kept.delete(id))
    return made
  }

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
      // The draft was launched or deleted after the request.
      if (!draft) return
      const content = await contentHash(context, draft),
        found = await visitDraft(context, previews, browser, draft, run)
      const after = await drafted(run)
      // The draft changed while the browser looked, so it looks again, at most `maxRounds` times.
      if (round < maxRounds && after && content !== (await contentHash(context, after))) continue
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
