import { launchProblems, samePageMessage } from '../../../domain/drafts/draft.ts'
import { type FieldProblem, HttpProblem } from '../../../domain/problem.ts'
import { sameArms } from '../../../domain/tests/launch-check.ts'
import { circleProblem } from '../../../domain/tests/redirect-chains.ts'
import { leadsElsewhere } from '../../../domain/tests/redirect-url.ts'
import { draftScheduleProblems } from '../../../domain/tests/test-schedule.ts'
import {
  isInUse,
  notInUse,
  targetKind,
  targetProblems,
  controlIsNotLive,
} from '../../../domain/tests/test-target.ts'
import { matchesPattern } from '../../../domain/tests/url-pattern.ts'
import { armStates, targetsOf } from '../arm-states.ts'
import { armsAlike } from '../arms-alike.ts'
import { audienceProblems } from '../../audiences/audiences.ts'
import type { EngineContext } from '../../context.ts'
import { draftContent } from '../../drafts/draft-answer.ts'
import { type DraftRow, shopHosts } from '../../drafts/draft-rows.ts'
import { redirectsOf } from '../exclusion.ts'
import { liveTheme } from '../../themes/live-templates.ts'
import { templatePages } from '../../themes/template-pages.ts'
import { addressOn, type ShopHosts, shopPath } from '../../drafts/redirect-urls.ts'
import { requireTestedPage } from '../../drafts/tested-page.ts'
import { testedPages } from '../../script/script-body.ts'
import { themeLacks } from '../../themes/themes.ts'
import { productProblems } from '../../prices/test-products.ts'

/** A draft's columns as the script will read them. */
export type Ready = {
  pages: string
  control_url: string
  redirect_url: string
  live_theme_id: string | null
}
/** `unmatched`: patterns that match no page of the shop now, while other patterns do. */
export type Readiness = {
  ready: Ready
  problems: FieldProblem[]
  unmatched: string[]
  /** True if the shop did not answer when we compared the arms. */ isUncompared?: boolean
}

/**
 * Finds everything that prevents the launch of a draft, each with its field: problems in the draft
 * itself, and problems that only the shop can tell.
 */
export async function launchReadiness(context: EngineContext, draft: DraftRow): Promise<Readiness> {
  const { db, clock } = context
  const [control, variant] = targetsOf(draft)
  const problems = [
    ...launchProblems(draftContent(draft)),
    ...targetProblems({ kind: draft.kind, control, variant, resourceIds: draft.resource_ids }),
    ...draftScheduleProblems(
      { launchAt: draft.launch_at, automaticallyEndAt: draft.automatically_end_at },
      clock(),
    ).filter(({ field }) => field === 'automaticallyEndAt'),
    ...(await audienceProblems(context, draft.store_id, draft.audience_ids)),
    ...(await productProblems(context, draft.store_id, draft.draft_id)),
  ]
  const hosts = await shopHosts(db.kysely, draft.store_id)
  const plain = {
    pages: '["*"]',
    control_url: draft.control_url,
    redirect_url: draft.redirect_url,
    live_theme_id: null,
  }
  const kind = targetKind(draft.kind)
  if (kind === 'template' || kind === 'theme')
    return targetsReady(context, hosts, draft, plain, problems)
  if (kind === 'url') return redirectReady(context, draft, plain, problems)
  // Visitors can meet a price test or an API test on any page.
  return draft.kind === 'PageElement'
    ? patternsReady(context, hosts, draft, plain, problems)
    : { ready: plain, problems, unmatched: [] }
}

async function patternsReady(
  { platform, log }: EngineContext,
  hosts: ShopHosts,
  draft: DraftRow,
  plain: Ready,
  problems: FieldProblem[],
): Promise<Readiness> {
  const written = testedPages(draft)
  const patterns = written.map(pattern => pagePattern(pattern, hosts))
  if (patterns.includes(null))
    problems.push({
      field: 'urlPatterns',
      message: 'Pages are paths of your shop, for example /products/* or /.',
    })
  const ready = { ...plain, pages: JSON.stringify(patterns) }
  if (problems.some(({ field }) => field === 'urlPatterns'))
    return { ready, problems, unmatched: [] }
  try {
    const pages = await platform.searchPages(hosts.shop, '')
    const unmatched: string[] = []
    for (const [i, pattern] of patterns.entries()) {
      if (pages.some(({ path }) => matchesPattern(pattern!, path))) continue
      // The search does not find every page, so a page that is named without a wildcard may exist
      // all the same.
      if (
        !pattern!.includes('*') &&
        (await platform.pageExists(
          hosts.shop,
          addressOn(hosts, shopPath(written[i]!, hosts) ?? ''),
        ))
      )
        continue
      unmatched.push(written[i]!)
    }
    if (unmatched.length === patterns.length)
      problems.push({
        field: 'urlPatterns',
        message:
          'No page of the shop matches. Enter the path of an existing page, for example /products/*.',
      })
    return { ready, problems, unmatched: unmatched.length === patterns.length ? [] : unmatched }
  } catch (error) {
    // If the shop does not answer now, we know nothing about its pages.
    log?.warn({ err: error }, 'pages of the shop not searched')
    return { ready, problems, unmatched: [] }
  }
}

async function redirectReady(
  context: EngineContext,
  draft: DraftRow,
  plain: Ready,
  problems: FieldProblem[],
): Promise<Readiness> {
  const urls = await Promise.all(
    (['controlUrl', 'redirectUrl'] as const).map(field => pageAt(context, draft, field)),
  )
  problems.push(...urls.flatMap(url => (typeof url === 'string' ? [] : url)))
  const [control_url = '', redirect_url = ''] = urls.map(url =>
    typeof url === 'string' ? url : '',
  )
  if (
    control_url &&
    redirect_url &&
    !leadsElsewhere(control_url, redirect_url) &&
    !problems.some(p => p.field === 'redirectUrl')
  )
    problems.push({ field: 'redirectUrl', message: samePageMessage })
  const others =
    control_url && redirect_url ? await redirectsOf(context.db.kysely, draft.store_id) : []
  const circle = circleProblem({ control: control_url, variant: redirect_url }, others)
  if (circle) problems.push({ field: 'redirectUrl', message: circle })
  // Browsers do not send the part after # to the shop, so the page's address has none.
  return {
    ready: {
      ...plain,
      pages: JSON.stringify([control_url.replace(/#.*/, '')]),
      control_url,
      redirect_url,
    },
    problems,
    unmatched: [],
  }
}

/**
 * Checks that the two templates or themes exist and differ, and that the control of a theme test is
 * the live theme. The pages are those that use the control's template.
 */
async function targetsReady(
  context: EngineContext,
  hosts: ShopHosts,
  draft: DraftRow,
  plain: Ready,
  problems: FieldProblem[],
): Promise<Readiness> {
  const { platform } = context
  const { control, variant } = await armStates(context, hosts, draft)
  for (const [field, { target, message }] of Object.entries({ control, variant }))
    if (target && message) problems.push({ field, message })
  const live = await liveTheme(platform, hosts.shop)
  const [first, second] = targetsOf(draft)
  // Visitors enter a theme test only from its control (storefront/travel.ts). If that is not the
  // live theme, nobody meets it.
  if (draft.kind === 'Theme' && first && second && first.themeId !== live.id)
    problems.push({ field: 'control', message: controlIsNotLive(live.name) })
  const other =
    draft.kind === 'Theme' && problems.length === 0
      ? (await platform.themes(hosts.shop)).find(
          ({ id, role }) => role !== 'live' && [first?.themeId, second?.themeId].includes(id),
        )
      : undefined
  const lacks = other && (await themeLacks(platform, hosts.shop, other))
  if (lacks)
    problems.push({
      field: other.id === second?.themeId ? 'variant' : 'control',
      message: `${lacks} Add them to it, or choose another theme.`,
    })
  const alike = problems.some(({ field }) => field === 'control' || field === 'variant')
    ? 'different'
    : await armsAlike(context, draft)
  if (alike === 'same') problems.push(sameArms(draft.kind, second?.isOurs === true))
  const pages =
    draft.kind === 'Theme'
      ? ['*']
      : first
        ? await templatePages(
            platform,
            hosts.shop,
            { type: first.templateType!, suffix: first.suffix! },
            draft.resource_ids,
          )
        : []
  const isUsed = draft.kind === 'Theme' || isInUse(control)
  if (first && (pages.length === 0 || !isUsed))
    problems.push({
      field: 'control',
      message:
        isUsed || control.assignedCount === 0
          ? 'Nothing in the shop is assigned to this template.'
          : notInUse,
    })
  return {
    ready: { ...plain, pages: JSON.stringify(pages), live_theme_id: live.id },
    problems,
    unmatched: [],
    isUncompared: alike === 'unknown',
  }
}

/** The page's path, empty when the draft names none; or what is wrong with it. */
async function pageAt(
  context: EngineContext,
  draft: DraftRow,
  field: 'controlUrl' | 'redirectUrl',
): Promise<string | FieldProblem[]> {
  const text = field === 'controlUrl' ? draft.control_url : draft.redirect_url
  try {
    return text.trim() ? await requireTestedPage(context, draft.store_id, text, field) : ''
  } catch (error) {
    if (error instanceof HttpProblem && error.fields.length > 0) return error.fields
    throw error
  }
}

/**
 * A pattern is a path with wildcards. An address on the shop's own hosts becomes its path. Returns
 * null for anything else.
 */
function pagePattern(pattern: string, hosts: ShopHosts): string | null {
  if (pattern.startsWith('*')) return pattern
  const path = shopPath(pattern, hosts)
  if (path === null || pattern.startsWith('/')) return path && pattern
  const { pathname } = new URL(path, hosts.origin)
  try {
    return decodeURI(pathname)
  } catch {
    return pathname
  }
}
