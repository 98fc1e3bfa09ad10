import { sql } from 'kysely'
import t from 'tap'
import { runShoppers } from '../../../demo-shop/shoppers/run.ts'
import { eventKinds } from '../../../domain/events/event.ts'
import type { LiftAssist } from '../../../domain/lift-assist/lift-assist.ts'
import { smallestEffect } from '../../../domain/stats/power.ts'
import { day, hour } from '../../../domain/time-units.ts'
import { setAside } from '../../../engine/events/fold/event-rows.ts'
import { templateMap } from '../../../engine/themes/shop-templates.ts'
import { like } from '../support/like.ts'
import { appSecret, firstShop } from '../support/small-shop.ts'
import { startWithShop } from '../support/with-shop.ts'

const own = await startWithShop()
const { platform } = own
t.teardown(own.close)
const { db, engine, call, now } = own
const days = 10
const assists = (query?: string) =>
  call('liftAssists', { query: query === undefined ? {} : { query } })
const flags = (features: string[], plan: string | null) =>
  db.kysely
    .updateTable('stores')
    .set({ feature_flags: JSON.stringify(features), plan_id: plan })
    .where('shop', '=', firstShop)
    .execute()

t.test('without traffic there are no proposals, and the answer says why', async t => {
  await engine.countPages()
  t.match(await assists(), { assists: [], reason: /full day of visits/, days: 0 })
})

t.test(
  'proposals come from the shop’s own days, and a recount of the events gives every figure',
  async t => {
    await runShoppers({
      shopOrigin: own.shopOrigin,
      appSecret,
      visitors: 1_200,
      lift: 0,
      seed: 'lift assists',
      span: { from: new Date(now.at.getTime() - days * day), to: now.at },
    })
    await own.shop.delivered()
    // The engine counted past days before this test had filled them, and treats them as final. So
    // they are counted again here.
    await db.kysely.deleteFrom('page_days_built').execute()
    await engine.countPages()
    const answer = await assists()
    t.ok(answer.assists.length >= 3, `${answer.assists.length} proposals`)
    t.equal(answer.reason, null)
    t.same(
      answer.assists.map(a => a.score),
      answer.assists.map(a => a.score).toSorted((a, b) => b - a),
      'the most promising first',
    )
    t.equal(new Set(answer.assists.map(a => a.id)).size, answer.assists.length)

    const counted = await recount()
    t.equal(answer.days, counted.days)
    for (const assist of answer.assists) {
      const key = assist.template
        ? assist.template.suffix
          ? `${assist.template.type}.${assist.template.suffix}`
          : assist.template.type
        : assist.pages[0]!
      const figures = counted.of(key, Boolean(assist.template))
      t.match(
        assist.figures,
        { ...figures, reach: figures.visitors / counted.shop.visitors },
        assist.title,
      )
      const expected = Math.round(
        (figures.visitors * (counted.distinct / counted.shop.visitors) * 28) / counted.days,
      )
      t.equal(assist.expectedVisitors, expected, 'the visitors of four weeks')
      const mean =
        assist.draft.goal === 'AddToCartRate'
          ? figures.adders / figures.visitors
          : counted.steps.ordered / counted.distinct
      t.ok(
        Math.abs(
          assist.smallestChange! -
            smallestEffect(mean, [mean * (1 - mean), mean * (1 - mean)], [0.5, 0.5], expected)!,
        ) < 1e-9,
        'smallest change',
      )
    }
    const untested = answer.assists.filter(a => a.kind === 'untested')
    t.ok(
      untested.some(a => a.template?.type === 'product'),
      'the product template was never tested',
    )
    t.same(
      untested.find(a => a.template?.type === 'collection')?.pages,
      ['/collections/*'],
      'all pages of a type in one folder are one pattern',
    )
    t.match(
      untested[0]!.reason,
      /^\d+\.\d% of the shop’s visitors came to the .*, [\d,]+ in \d+ days, and no test has ever run there\.$/,
    )
    const checkout = answer.assists.find(a => a.kind === 'checkout')
    if (checkout) t.match(checkout.figures.rate, counted.steps.checkedOut / counted.steps.added)
    // A second count changes nothing.
    await engine.countPages()
    t.same(await assists(), answer)
  },
)

t.test('a search finds words in titles and pages', async t => {
  const { assists: all } = await assists()
  const { assists: some } = await assists('Product')
  t.ok(some.length > 0 && some.length < all.length)
  for (const one of some) t.match(`${one.title} ${one.pages.join(' ')}`, /product/i)
  t.match(await assists('no such words'), { assists: [], reason: /these words/ })
  t.same((await assists('   ')).assists, all)
})

t.test('each proposal opens as a draft, and then names that draft', async t => {
  const { assists: all } = await assists()
  for (const { id, draft, title } of all) {
    const made = await call('createDraft', { body: draft })
    t.match(made, {
      kind: draft.kind,
      title,
      origin: 'LiftAssist',
      goal: draft.goal,
      hypothesisDescription: draft.hypothesisDescription,
    })
    t.equal((await assists()).assists.find(one => one.id === id)?.draftId, made.id)
    await call('deleteDraft', { params: { id: made.id } })
  }
  t.same(
    (await assists()).assists.map(one => one.draftId),
    all.map(() => null),
  )
})

t.test('pages in a running test get no proposal, and count as tested afterwards', async t => {
  const product = (all: LiftAssist[]) =>
    all.find(a => a.template?.type === 'product' && a.pages.includes('/products/*'))
  const before =
    product((await assists()).assists) ??
    (await assists()).assists.find(a => a.template?.type === 'product')!
  const draft = await call('createDraft', { body: { kind: 'PageElement', title: 'All products' } })
  await call('setDomSelectors', {
    params: { id: draft.hypotheses[1]!.id },
    body: {
      domSelectors: [
        {
          id: '',
          urlPatterns: ['/products/*'],
          actions: [{ selector: 'h1', kind: 'text', value: 'x', name: '' }],
        },
      ],
    },
  })
  const { testId } = await call('launchDraft', { params: { id: draft.id } })
  t.notOk(
    (await assists()).assists.some(a => a.id === before.id),
    'no proposal while the test runs',
  )
  await call('updateTest', { params: { id: testId }, body: { status: 'Ended' } })
  t.notOk(
    (await assists()).assists.some(
      a => a.template?.type === 'product' && (a.kind === 'untested' || !a.isTested),
    ),
    'never again proposed as untested',
  )
})

t.test(
  'a day is counted again when late visitors come, and becomes final when none can come',
  async t => {
    const built = () => db.kysely.selectFrom('page_days_built').selectAll().orderBy('day').execute()
    const before = await built()
    t.same(
      [before[0]!.is_final, before.at(-1)!.is_final],
      [true, false],
      'events may come up to two days late',
    )
    t.same(
      before.map(row => row.month_visitors !== null),
      before.map((_, i) => i === before.length - 1),
      'the month’s visitors are counted with the latest day',
    )
    const latest = before.at(-1)!
    await runShoppers({
      shopOrigin: own.shopOrigin,
      appSecret,
      visitors: 12,
      lift: 0,
      seed: 'late',
      span: { from: new Date(`${latest.day}T14:00:00Z`), to: new Date(`${latest.day}T20:00:00Z`) },
    })
    const ofLatest = async () => (await built()).find(row => row.day === latest.day)!
    await engine.countPages()
    t.same(await ofLatest(), latest, 'the day is not counted again at once for each late visitor')
    const real = now.at
    now.at = new Date(latest.built_at.getTime() + hour)
    await engine.countPages()
    const after = await ofLatest()
    t.ok(after.visitors > latest.visitors, 'it is counted again within an hour')
    t.equal((await recount()).shop.visitors, await sum())
    now.at = new Date(real.getTime() + 4 * day)
    await engine.countPages()
    t.ok((await built()).filter(row => row.day <= latest.day).every(row => row.is_final))
    now.at = real
  },
)

t.test('a plan or a feature flag opens proposals', async t => {
  await flags([], 'core-100k-monthly')
  await t.rejects(assists(), like({ status: 403, problem: { message: /Advanced/ } }))
  await flags(['LiftAssists'], 'core-100k-monthly')
  t.ok((await assists()).assists.length > 0)
})

const sum = async (): Promise<number> =>
  (
    await sql<{
      visitors: number
    }>`select sum(visitors)::int as visitors from page_days where scope = 'shop'`.execute(db.kysely)
  ).rows[0]!.visitors

/** The same figures, computed with plain loops over all events. */
async function recount() {
  const { rows } = await sql<{
    day: string
    visitor: string
    session: string
    kind: number
    at: Date
    id: string
    path: string
  }>`
    select day::text as day, visitor_id as visitor, session_id as session, kind, at, id, path from events where not is_bot and set_aside <> ${setAside.farOff} order by at, id`.execute(
    db.kysely,
  )
  const today =
    rows.length > 0
      ? new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(now.at)
      : ''
  const templates = await templateMap(platform, firstShop)
  const full = rows
    .filter(row => row.day < today)
    .map(row => ({
      ...row,
      kind: eventKinds[row.kind]!,
      path: new URL(row.path, 'http://x').pathname.toLowerCase().replace(/(.)\/$/, '$1'),
    }))
  const views = full.filter(row => row.kind === 'view')
  const visits = Map.groupBy(views, row => `${row.day} ${row.session}`)
  const people = (of: typeof full) => new Set(of.map(row => `${row.day} ${row.visitor}`)).size
  const figures = (isHere: (path: string) => boolean) => ({
    visitors: people(views.filter(row => isHere(row.path))),
    views: views.filter(row => isHere(row.path)).length,
    entries: [...visits.values()].filter(visit => isHere(visit[0]!.path)).length,
    exits: [...visits.values()].filter(visit => isHere(visit.at(-1)!.path)).length,
    bounces: [...visits.values()].filter(visit => visit.length === 1 && isHere(visit[0]!.path))
      .length,
    adders: people(full.filter(row => row.kind === 'cart' && isHere(row.path))),
  })
  const ordered = (
    await sql<{
      count: number
    }>`select count(distinct (day, visitor_id))::int as count from orders where visitor_id is not null and not is_test and day < ${today}`.execute(
      db.kysely,
    )
  ).rows[0]!.count
  return {
    days: new Set(full.map(row => row.day)).size,
    distinct: new Set(full.map(row => row.visitor)).size,
    shop: figures(() => true),
    steps: {
      added: people(full.filter(row => row.kind === 'cart')),
      checkedOut: people(full.filter(row => row.kind === 'checkout')),
      ordered,
    },
    of: (key: string, isTemplate: boolean) =>
      figures(path => (isTemplate ? templates.get(path) === key : path === key.toLowerCase())),
  }
}
