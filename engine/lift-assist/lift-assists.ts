import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { LiftAssist } from '../../domain/lift-assist/lift-assist.ts'
import {
  findAssists,
  type Finding,
  type PageFigures,
} from '../../domain/lift-assist/lift-assist-rules.ts'
import {
  assistWords,
  nothingFound,
  nothingYet,
} from '../../domain/lift-assist/lift-assist-words.ts'
import { kindCapability, type TestKind } from '../../domain/tests/test-kind.ts'
import { day as dayLength } from '../../domain/time-units.ts'
import { access, type StoreAccess } from '../plans/access.ts'
import type { EngineContext } from '../context.ts'
import {
  type Figures,
  type KnownTest,
  type Place,
  placesOf,
  shopPages,
} from './lift-assist-targets.ts'
import { lookedBack } from '../reports/page-days.ts'
import type { Serve } from '../http/routes.ts'
import { dayIn } from '../events/fold/visit-day.ts'

// Maximum proposals in one answer, maximum single pages among them, and how many single pages we
// look at.
const assistLimit = 20,
  pageLimit = 3,
  pagesLooked = 60

/**
 * Proposes what to test next, from the store's own full days (page-days.ts), its tests and the
 * shop's list of pages. It reads no event.
 */
export function liftAssists(serve: Serve, context: EngineContext): void {
  const { db, clock, platform } = context

  serve('liftAssists', async ({ query: { query = '' } }, { storeId, shop }) => {
    const held = await access(context, storeId)
    held.require('LiftAssists')
    const figures = await readFigures(storeId)
    if (!figures) return { assists: [], reason: nothingYet, from: null, to: null, days: 0 }
    const places = await placesOf(figures, await shopPages(platform, shop), await testsOf(storeId))
    const byKey = new Map(places.map(place => [place.key, place]))
    const drafts = await draftsOf(storeId)
    const found = onlySomePages(
      findAssists(
        figures.shop,
        places.filter(({ isRunning }) => !isRunning),
      ),
    )
    const all = found.map(finding =>
      assistOf(finding, byKey.get(finding.target.key)!, figures, held, drafts),
    )
    const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean)
    const assists = all
      .filter(({ title, pages }) =>
        words.every(word => [title, ...pages].some(text => text.toLowerCase().includes(word))),
      )
      .slice(0, assistLimit)
    const reason =
      assists.length > 0
        ? null
        : all.length > 0
          ? 'No proposal has these words in its title or pages.'
          : nothingFound(figures.shop)
    return { assists, reason, from: figures.from, to: figures.to, days: figures.shop.days }
  })

  async function readFigures(
    storeId: string,
  ): Promise<(Figures & { from: string; to: string }) | null> {
    const { time_zone: zone } = await db.kysely
      .selectFrom('stores')
      .select('time_zone')
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    const from = dayIn(zone, clock().getTime() - lookedBack * dayLength),
      to = dayIn(zone, clock().getTime())
    const { rows } = await sql<Summed>`
      select * from (select scope, name, count(*)::int as days, min(day)::text as first, max(day)::text as last, sum(views)::int as views, sum(visitors)::int as visitors,
          sum(entries)::int as entries, sum(bounces)::int as bounces, sum(exits)::int as exits, sum(adders)::int as adders,
          row_number() over (partition by scope order by sum(visitors) desc, sum(views) desc, name) as place
        from page_days where store_id = ${storeId} and day >= ${from} and day < ${to} group by scope, name) sums
      where scope <> 'path' or place <= ${pagesLooked} order by scope, place`.execute(db.kysely)
    const whole = rows.find(({ scope }) => scope === 'shop')
    if (!whole || whole.visitors === 0) return null
    const latest = await db.kysely
      .selectFrom('page_days_built')
      .select('month_visitors')
      .where('store_id', '=', storeId)
      .where('day', '<', to)
      .where('month_visitors', 'is not', null)
      .orderBy('day', 'desc')
      .limit(1)
      .executeTakeFirst()
    const step = (name: string) =>
      rows.find(row => row.scope === 'step' && row.name === name)?.visitors ?? 0
    const named = (wanted: string) =>
      new Map(rows.filter(({ scope }) => scope === wanted).map(row => [row.name, plain(row)]))
    return {
      from: whole.first,
      to: whole.last,
      templates: named('template'),
      paths: named('path'),
      shop: {
        ...plain(whole),
        days: whole.days,
        distinct: latest?.month_visitors ?? whole.visitors,
        viewed: step('viewed'),
        added: step('added'),
        checkedOut: step('checkedOut'),
        ordered: step('ordered'),
      },
    }
  }

  // Price tests and API tests can run beside any other test (exclusion.ts), so they occupy no page.
  const testsOf = (storeId: string): Promise<KnownTest[]> =>
    db.kysely
      .selectFrom('tests')
      .select(['pages', 'status'])
      .where('store_id', '=', storeId)
      .where('kind', 'not in', ['Price', 'Api'])
      .orderBy('created_at', 'desc')
      .limit(1_000)
      .execute()
  const draftsOf = async (storeId: string): Promise<Map<string, string>> =>
    new Map(
      (
        await db.kysely
          .selectFrom('drafts')
          .select(['lift_assist_id', 'draft_id'])
          .where('store_id', '=', storeId)
          .where('lift_assist_id', 'is not', null)
          .orderBy('created_at')
          .execute()
      ).map(row => [row.lift_assist_id!, row.draft_id]),
    )
}

type Summed = PageFigures & {
  scope: string
  name: string
  days: number
  first: string
  last: string
}
const plain = ({ views, visitors, entries, bounces, exits, adders }: PageFigures): PageFigures => ({
  views,
  visitors,
  entries,
  bounces,
  exits,
  adders,
})

/**
 * A template covers many pages, so we add single pages only if they stand out, and only the first
 * few.
 */
function onlySomePages(found: Finding[]): Finding[] {
  const pages = found
    .filter(({ target, kind }) => !target.isTemplate && kind !== 'untested')
    .slice(0, pageLimit)
  return found.filter(finding => finding.target.isTemplate || pages.includes(finding))
}

function assistOf(
  finding: Finding,
  place: Place,
  { shop }: Figures,
  held: StoreAccess,
  drafts: Map<string, string>,
): LiftAssist {
  const { kind, goal, rate, otherRate, reach, expectedVisitors, smallestChange, score } = finding
  const id = createHash('sha256').update(`${kind} ${place.key}`).digest('hex').slice(0, 24)
  const testKind = testKindFor(place, held)
  const { title, reason, idea } = assistWords(finding, place.label, shop)
  return {
    id,
    kind,
    testKind,
    title,
    reason,
    template: place.template,
    pages: place.patterns,
    figures: { ...plain(place.figures), reach, rate, otherRate },
    isTested: place.isTested,
    expectedVisitors,
    smallestChange,
    score,
    draftId: drafts.get(id) ?? null,
    draft: {
      kind: testKind,
      title: title.slice(0, 120).toWellFormed(),
      hypothesisDescription: `${reason} ${idea}`.slice(0, 2000).toWellFormed(),
      goal,
      origin: 'LiftAssist',
      liftAssistId: id,
      ...(testKind === 'UrlRedirect' && { controlUrl: place.paths[0]! }),
      ...(testKind === 'PageElement' && { urlPatterns: place.patterns }),
    },
  }
}

/**
 * The kind of test to propose: one that fits the pages and that the plan includes. We prefer a kind
 * whose draft starts with its pages filled in.
 */
function testKindFor({ isTemplate, paths }: Place, { can }: StoreAccess): TestKind {
  const fitting: TestKind[] = [
    isTemplate ? 'Template' : 'PageContent',
    'PageElement',
    ...(paths.length === 1 ? ['UrlRedirect' as const] : []),
  ]
  const open = fitting.filter(
    kind => kindCapability[kind] === undefined || can(kindCapability[kind]),
  )
  return open.find(kind => kind === 'PageElement' || kind === 'UrlRedirect') ?? open[0]!
}
