import { randomUUID } from 'node:crypto'
import { launchProblems } from '../domain/draft.ts'
import { type FieldProblem, HttpProblem } from '../domain/problem.ts'
import { draftScheduleProblems } from '../domain/test-schedule.ts'
import { targetKind, targetProblems, type TestTarget } from '../domain/test-target.ts'
import { armStates, targetsOf } from './arm-states.ts'
import { audienceProblems } from './audiences.ts'
import type { EngineContext } from './context.ts'
import { draftContent, draftRow, type DraftRow, requireKind, shopHosts } from './drafts.ts'
import { assignedTo, liveTheme, ownPaths } from './live-templates.ts'
import type { Platform } from './platform/adapter.ts'
import { requirePage, type ShopHosts, shopPath } from './redirect-urls.ts'
import { notFound } from './routes.ts'
import { testedPages } from './script-body.ts'
import { subscriptionTrouble } from './test-checks.ts'
import { planFor } from './test-plan.ts'
import { productProblems, productsLaunched } from './test-products.ts'
import { scheduleJobs } from './test-schedule.ts'

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
  const { db, clock, publisher, jobs, journal } = context
  const draft = await draftRow(db.kysely, storeId, draftId)
  if (!draft) return await launchedFrom(context, storeId, draftId) ?? fail(notFound('draft'))
  await requireKind(context, storeId, draft.kind)
  await requireSubscription(context, storeId)
  const ready = await readyToLaunch(context, draft)
  const now = clock()
  // A start that has passed is now.
  const launchAt = draft.launch_at && draft.launch_at > now ? draft.launch_at : null
  const status = launchAt ? 'Scheduled' : 'Active'
  const plan = await planFor(context, draft, JSON.parse(ready.pages) as string[])
  const testId = await db.kysely.transaction().execute(async trx => {
    // Whoever deletes the draft makes the test: of two that launch at once the second finds it gone.
    const taken = await trx.deleteFrom('drafts').where('store_id', '=', storeId).where('draft_id', '=', draftId).where('version', '=', draft.version).returning('draft_id').executeTakeFirst()
    if (!taken) return null
    const test_id = randomUUID()
    await trx.insertInto('tests').values({
      ...contentOf(draft), ...ready, test_id, draft_id: draftId, status, launch_at: draft.launch_at, start_at: launchAt ? null : now,
      ends_at: new Date((launchAt ?? now).getTime() + plan.days * day), ended_at: null, applied_at: null,
      planned_visitors: plan.plannedVisitors, updated_at: now, verdict_kind: null, verdict_at: null, verdict_lift: null, verdict_chance: null,
    }).execute()
    await trx.insertInto('test_history').values({ store_id: storeId, test_id, status, applied_on: now }).execute()
    await trx.insertInto('test_events').values([
      { store_id: storeId, test_id, kind: 'Created' as const, at: draft.created_at, detail: null, value: null, mark: 'Created' },
      ...(launchAt ? [] : [{ store_id: storeId, test_id, kind: 'Start' as const, at: now, detail: null, value: null, mark: 'Start' }]),
    ]).execute()
    await productsLaunched(trx, storeId, draftId, test_id)
    await journal.adopt(trx, storeId, draftId, test_id)
    await scheduleJobs(trx, jobs, { store_id: storeId, test_id, launch_at: launchAt, automatically_end_at: draft.automatically_end_at })
    if (!launchAt) await publisher.request(trx, storeId)
    return test_id
  })
  if (testId && !launchAt) await publisher.publish(storeId)
  return testId
}

/** A draft's columns that a test has too, written as the database takes them. */
export function contentOf(draft: DraftRow) {
  const { origin: _, version: __, variant_created_at: ___, lift_assist_id: ____, template_kind: _____, change_state: ______, draft_id: _______, ...content } = draft
  return { ...content, ...jsonColumns(draft) }
}

type Targeted = Pick<DraftRow, 'weights' | 'dom_selectors' | 'control_target' | 'variant_target' | 'resource_ids' | 'audience_ids'>
export const jsonColumns = (row: Targeted) => ({
  weights: JSON.stringify(row.weights), dom_selectors: JSON.stringify(row.dom_selectors), resource_ids: JSON.stringify(row.resource_ids), audience_ids: JSON.stringify(row.audience_ids),
  control_target: row.control_target && JSON.stringify(row.control_target), variant_target: row.variant_target && JSON.stringify(row.variant_target),
})

/** Throws HttpProblem 409 without a plan that is paid for. */
async function requireSubscription({ db }: EngineContext, storeId: string): Promise<void> {
  const trouble = await subscriptionTrouble(db, storeId)
  if (trouble) throw new HttpProblem(409, 'There is no active subscription. Choose a plan first, then launch the test.')
}

async function launchedFrom({ db }: EngineContext, storeId: string, draftId: string): Promise<string | null> {
  const test = await db.kysely.selectFrom('tests').select('test_id').where('store_id', '=', storeId).where('draft_id', '=', draftId).executeTakeFirst()
  return test?.test_id ?? null
}

type Ready = { pages: string; control_url: string; redirect_url: string; live_theme_id: string | null }

/** The pages as the script will read them. Throws what the draft itself shows to be wrong, then what only the shop can tell. */
async function readyToLaunch(context: EngineContext, draft: DraftRow): Promise<Ready> {
  const { db, platform, clock } = context
  const [control, variant] = targetsOf(draft)
  const problems = [
    ...launchProblems(draftContent(draft)), ...targetProblems({ kind: draft.kind, control, variant, resourceIds: draft.resource_ids }),
    ...draftScheduleProblems({ launchAt: draft.launch_at, automaticallyEndAt: draft.automatically_end_at }, clock()).filter(({ field }) => field === 'automaticallyEndAt'),
    ...await audienceProblems(context, draft.store_id, draft.audience_ids), ...await productProblems(context, draft.store_id, draft.draft_id),
  ]
  const hosts = await shopHosts(db.kysely, draft.store_id)
  const pages = testedPages(draft).map(pattern => pagePattern(pattern, hosts))
  if (draft.kind === 'PageElement' && pages.includes(null))
    problems.push({ field: 'urlPatterns', message: 'Pages are paths of your shop, for example /products/* or /.' })
  const plain = { pages: JSON.stringify(pages), control_url: draft.control_url, redirect_url: draft.redirect_url, live_theme_id: null }
  const kind = targetKind(draft.kind)
  if (kind === 'template' || kind === 'theme') return targetsReady(context, hosts, draft, plain, problems)
  if (kind === null) {
    if (problems.length > 0) throw refused(problems)
    return plain
  }
  const urls = await Promise.all((['controlUrl', 'redirectUrl'] as const).map(field => pageAt(platform, hosts, draft, field)))
  problems.push(...urls.flatMap(url => (typeof url === 'string' ? [] : url)))
  const [control_url = '', redirect_url = ''] = urls.map(url => (typeof url === 'string' ? url : ''))
  if (control_url && control_url === redirect_url && !problems.some(p => p.field === 'redirectUrl'))
    problems.push({ field: 'redirectUrl', message: 'The variant must be another page than the control.' })
  if (problems.length > 0) throw refused(problems)
  return { ...plain, pages: JSON.stringify([control_url]), control_url, redirect_url }
}

/** Templates and themes are there, and the one live theme is among the themes. The pages are those that the control draws. */
async function targetsReady(context: EngineContext, hosts: ShopHosts, draft: DraftRow, plain: Ready, problems: FieldProblem[]): Promise<Ready> {
  const { platform } = context
  const { control, variant } = await armStates(context, hosts, draft)
  for (const [field, { target, message }] of Object.entries({ control, variant })) if (target && message) problems.push({ field, message })
  const live = await liveTheme(platform, hosts.shop)
  const [first, second] = targetsOf(draft)
  if (draft.kind === 'Theme' && first && second && ![first.themeId, second.themeId].includes(live.id)) problems.push({ field: 'control', message: 'One of the two must be the live theme.' })
  const pages = draft.kind === 'Theme' ? ['*'] : first ? await pagesOf(platform, hosts.shop, first, draft.resource_ids) : []
  if (first && pages.length === 0) problems.push({ field: 'control', message: 'Nothing in the shop is assigned to this template.' })
  if (problems.length > 0) throw refused(problems)
  return { ...plain, pages: JSON.stringify(pages), live_theme_id: live.id }
}

/** Paths of what a template draws, or of the chosen few. */
async function pagesOf(platform: Platform, shop: string, { templateType, suffix }: TestTarget, resourceIds: readonly string[]): Promise<string[]> {
  const own = ownPaths[templateType!]
  if (own) return own
  return (await assignedTo(platform, shop, templateType!, suffix!)).filter(each => resourceIds.length === 0 || resourceIds.includes(each.id)).map(each => each.path)
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
