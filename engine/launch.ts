import { randomUUID } from 'node:crypto'
import { launchProblems } from '../domain/draft.ts'
import { type FieldProblem, HttpProblem } from '../domain/problem.ts'
import type { EngineContext } from './context.ts'
import { draftContent, draftRow, type DraftRow, shopHosts } from './drafts.ts'
import type { Platform } from './platform/adapter.ts'
import { requirePage, type ShopHosts, shopPath } from './redirect-urls.ts'
import { notFound } from './routes.ts'
import { testedPages } from './script-body.ts'
import { planFor } from './test-plan.ts'

const day = 86_400_000

/**
 * Makes a running test of a draft and publishes it; answers the test's id. Launching the same draft again answers the
 * same test. Throws HttpProblem 400 with everything that stands in the way, each at its field.
 */
export async function launch(context: EngineContext, storeId: string, draftId: string): Promise<string> {
  // Saved meanwhile by a second click or another tab: what is launched is the draft as it stands, so it is read again.
  for (let attempt = 0; attempt < 5; attempt++) {
    const testId = await launchOnce(context, storeId, draftId) ?? await launchedFrom(context, storeId, draftId)
    if (testId) return testId
  }
  throw new HttpProblem(409, 'This draft was changed elsewhere while it was being launched.')
}

/** Null when the draft is no longer the one that was checked. */
async function launchOnce(context: EngineContext, storeId: string, draftId: string): Promise<string | null> {
  const { db, clock, publisher } = context
  const draft = await draftRow(db.kysely, storeId, draftId)
  if (!draft) return await launchedFrom(context, storeId, draftId) ?? fail(notFound('draft'))
  const ready = await readyToLaunch(context, draft)
  const now = clock()
  const plan = await planFor(context, draft, JSON.parse(ready.pages) as string[])
  const testId = await db.kysely.transaction().execute(async trx => {
    // Whoever deletes the draft makes the test: of two that launch at once the second finds it gone.
    const taken = await trx.deleteFrom('drafts').where('store_id', '=', storeId).where('draft_id', '=', draftId).where('version', '=', draft.version).returning('draft_id').executeTakeFirst()
    if (!taken) return null
    const { origin: _, version: __, variant_created_at: ___, ...content } = draft
    const test_id = randomUUID()
    await trx.insertInto('tests').values({
      ...content, ...ready, weights: JSON.stringify(draft.weights), dom_selectors: JSON.stringify(draft.dom_selectors),
      test_id, status: 'Active', start_at: now, ends_at: new Date(now.getTime() + plan.days * day), ended_at: null, applied_at: null,
      planned_visitors: plan.plannedVisitors, updated_at: now, verdict_kind: null, verdict_at: null, verdict_lift: null, verdict_chance: null,
    }).execute()
    await trx.insertInto('test_history').values({ store_id: storeId, test_id, status: 'Active', applied_on: now }).execute()
    await trx.insertInto('test_events').values([
      { store_id: storeId, test_id, kind: 'Created', at: draft.created_at, detail: null, value: null, mark: 'Created' },
      { store_id: storeId, test_id, kind: 'Start', at: now, detail: null, value: null, mark: 'Start' },
    ]).execute()
    await publisher.request(trx, storeId)
    return test_id
  })
  if (testId) await publisher.publish(storeId)
  return testId
}

async function launchedFrom({ db }: EngineContext, storeId: string, draftId: string): Promise<string | null> {
  const test = await db.kysely.selectFrom('tests').select('test_id').where('store_id', '=', storeId).where('draft_id', '=', draftId).executeTakeFirst()
  return test?.test_id ?? null
}

/** The pages as the script will read them. Throws what the draft itself shows to be wrong, then what only the shop can tell. */
async function readyToLaunch({ db, platform }: EngineContext, draft: DraftRow): Promise<{ pages: string; control_url: string; redirect_url: string }> {
  const problems = launchProblems(draftContent(draft))
  const hosts = await shopHosts(db.kysely, draft.store_id)
  const pages = testedPages(draft).map(pattern => pagePattern(pattern, hosts))
  if (draft.kind === 'PageElement' && pages.includes(null))
    problems.push({ field: 'urlPatterns', message: 'Pages are paths of your shop, for example /products/* or /.' })
  if (draft.kind !== 'UrlRedirect') {
    if (problems.length > 0) throw refused(problems)
    return { pages: JSON.stringify(pages), control_url: draft.control_url, redirect_url: draft.redirect_url }
  }
  const urls = await Promise.all((['controlUrl', 'redirectUrl'] as const).map(field => pageAt(platform, hosts, draft, field)))
  problems.push(...urls.flatMap(url => (typeof url === 'string' ? [] : url)))
  const [control_url = '', redirect_url = ''] = urls.map(url => (typeof url === 'string' ? url : ''))
  if (control_url && control_url === redirect_url && !problems.some(p => p.field === 'redirectUrl'))
    problems.push({ field: 'redirectUrl', message: 'The variant must be another page than the control.' })
  if (problems.length > 0) throw refused(problems)
  return { pages: JSON.stringify([control_url]), control_url, redirect_url }
}

/** The page's path, empty when none was named; or what is wrong with it. */
async function pageAt(platform: Platform, hosts: ShopHosts, draft: DraftRow, field: 'controlUrl' | 'redirectUrl'): Promise<string | FieldProblem[]> {
  const text = field === 'controlUrl' ? draft.control_url : draft.redirect_url
  try {
    return text.trim() ? await requirePage(platform, hosts, text, field) : ''
  } catch (error) {
    if (error instanceof HttpProblem && error.fields.length > 0) return error.fields
    throw error
  }
}

/** A pattern is a path with wildcards; an address of the shop's own is taken for its path, anything else is none. */
function pagePattern(pattern: string, hosts: ShopHosts): string | null {
  if (pattern.startsWith('*')) return pattern
  return shopPath(pattern, hosts) && (pattern.startsWith('/') ? pattern : decodeURI(new URL(pattern).pathname))
}

const refused = (problems: FieldProblem[]) => new HttpProblem(400, 'This test is not ready to launch.', problems)
const fail = (problem: HttpProblem): never => { throw problem }
