import t from 'tap'
import {
  findAssists,
  type PageFigures,
  type ShopFigures,
  type Target,
} from '../../../domain/lift-assist/lift-assist-rules.ts'
import { assistWords, nothingFound } from '../../../domain/lift-assist/lift-assist-words.ts'
import { visitorsNeeded } from '../../../domain/stats/power.ts'
import { fc } from '../../properties.ts'

const shop: ShopFigures = {
  visitors: 10_000,
  views: 30_000,
  entries: 12_000,
  bounces: 4_800,
  exits: 12_000,
  adders: 1_500,
  days: 28,
  distinct: 8_000,
  viewed: 6_000,
  added: 1_500,
  checkedOut: 700,
  ordered: 500,
}
const quiet: PageFigures = {
  visitors: 2_000,
  views: 4_000,
  entries: 3_000,
  bounces: 1_200,
  exits: 2_000,
  adders: 300,
}
const target = (over: Partial<Target> = {}): Target => ({
  key: 'template:collection',
  isTemplate: true,
  sells: false,
  isCart: false,
  figures: quiet,
  others: {
    visitors: 8_000,
    views: 26_000,
    entries: 9_000,
    bounces: 3_600,
    exits: 10_000,
    adders: 1_200,
  },
  isTested: true,
  ...over,
})

t.test('a shop without traffic has no findings', async t => {
  t.same(findAssists({ ...shop, days: 0 }, [target({ isTested: false })]), [])
  t.same(findAssists({ ...shop, visitors: 150 }, [target({ isTested: false })]), [])
  t.same(findAssists(shop, []), [])
})

t.test('tested pages that perform like the others have no finding', async t => {
  t.same(findAssists(shop, [target(), target({ key: 'template:product', sells: true })]), [])
})

t.test('many visits that end on their first page are a finding', async t => {
  const [found, ...rest] = findAssists(shop, [target({ figures: { ...quiet, bounces: 1_800 } })])
  t.equal(rest.length, 0)
  t.match(found, { kind: 'bounce', goal: 'ConversionRate', rate: 0.6, otherRate: 0.4, reach: 0.2 })
  // At the other pages' rate 600 more visits would have continued. 500 of 12,000 visits ended in an
  // order.
  t.equal(found!.score, Math.round(((600 * (500 / 12_000)) / 500) * 10_000) / 10_000)
  t.equal(
    found!.expectedVisitors,
    1_600,
    '2,000 visitor days, and 8,000 of 10,000 visitor days are different visitors',
  )
  const p = 500 / 8_000
  t.ok(
    Math.abs(
      visitorsNeeded(p, [p * (1 - p), p * (1 - p)], [0.5, 0.5], found!.smallestChange!)! - 1_600,
    ) < 0.001,
    'the smallest change is what these visitors can detect',
  )
})

t.test('a difference that chance can explain is no finding', async t => {
  t.same(findAssists(shop, [target({ figures: { ...quiet, entries: 300, bounces: 130 } })]), [])
})

t.test('products that are rarely added to the cart are a finding', async t => {
  const [found] = findAssists(shop, [target({ sells: true, figures: { ...quiet, adders: 100 } })])
  t.match(found, {
    kind: 'addToCart',
    goal: 'AddToCartRate',
    rate: 0.05,
    otherRate: 0.15,
    score: Math.round(((200 * (500 / 1_500)) / 500) * 10_000) / 10_000,
  })
})

t.test('carts that are abandoned are a finding', async t => {
  const [found] = findAssists(shop, [target({ isCart: true })])
  t.match(found, {
    kind: 'checkout',
    rate: 700 / 1_500,
    otherRate: null,
    score: Math.round(((0.1 * 800 * (500 / 700)) / 500) * 10_000) / 10_000,
  })
  t.match(
    assistWords(found!, 'the cart', shop).reason,
    /Of 1,500 visitors who added to the cart, 700 \(46\.7%\) continued to the checkout\./,
  )
})

t.test('pages that were never tested are findings, the largest reach first', async t => {
  const found = findAssists(shop, [
    target({ isTested: false }),
    target({ key: 'template:home', isTested: false, figures: { ...quiet, visitors: 5_000 } }),
  ])
  t.same(
    found.map(({ kind, target: { key } }) => [kind, key]),
    [
      ['untested', 'template:home'],
      ['untested', 'template:collection'],
    ],
  )
})

t.test('a change that a test cannot detect in four weeks is not proposed', async t => {
  t.same(findAssists({ ...shop, ordered: 2, distinct: 8_000 }, [target({ isTested: false })]), [])
  t.same(
    findAssists({ ...shop, ordered: 0 }, [target({ isTested: false })]),
    [],
    'the shop had no order',
  )
  t.match(nothingFound(shop), /10,000 visitors in 28 full days/)
})

t.test('for any figures: findings are sorted, one per target, all numbers finite', async () => {
  const count = fc.integer({ min: 0, max: 100_000 })
  const figures = fc
    .record({
      visitors: count,
      views: count,
      entries: count,
      bounces: count,
      exits: count,
      adders: count,
    })
    .map(f => ({
      ...f,
      bounces: Math.min(f.bounces, f.entries),
      adders: Math.min(f.adders, f.visitors),
    }))
  const targets = fc.array(
    fc.record({
      isTemplate: fc.boolean(),
      sells: fc.boolean(),
      isCart: fc.boolean(),
      figures,
      others: figures,
      isTested: fc.boolean(),
    }),
    { maxLength: 8 },
  )
  fc.assert(
    fc.property(
      targets,
      fc.record({
        visitors: count,
        distinct: count,
        added: count,
        checkedOut: count,
        ordered: count,
        viewed: count,
        days: fc.integer({ min: 0, max: 28 }),
      }),
      (all, whole) => {
        const found = findAssists(
          {
            ...whole,
            views: whole.visitors,
            entries: whole.visitors,
            bounces: 0,
            exits: whole.visitors,
            adders: whole.added,
          },
          all.map((one, i) => ({ ...one, key: `template:${i}` })),
        )
        if (new Set(found.map(f => f.target.key)).size !== found.length) return false
        if (found.some((f, i) => i > 0 && f.score > found[i - 1]!.score)) return false
        return found.every(
          f =>
            Number.isFinite(f.score) &&
            Number.isFinite(f.reach) &&
            f.smallestChange! > 0 &&
            f.smallestChange! <= 1 &&
            f.expectedVisitors >= 0,
        )
      },
    ),
  )
})
