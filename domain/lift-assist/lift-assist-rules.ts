import { planLimits } from '../reports/estimate.ts'
import { smallestEffect } from '../stats/power.ts'
import type { Goal } from '../reports/goal.ts'

/**
 * The reasons for a proposal: many visits end on their first page; products are seldom put into the
 * cart; shoppers leave the cart; the page was never tested.
 */
export const assistKinds = ['bounce', 'addToCart', 'checkout', 'untested'] as const
export type AssistKind = (typeof assistKinds)[number]

/** Sums over the days. `visitors` and `adders` count each visitor once a day. */
export type PageFigures = {
  visitors: number
  views: number
  entries: number
  bounces: number
  exits: number
  adders: number
}
/** The whole shop over the same days. `distinct`: visitors, each counted once for all days. */
export type ShopFigures = PageFigures & {
  days: number
  distinct: number
  viewed: number
  added: number
  checkedOut: number
  ordered: number
}
/**
 * Pages that one test can cover. `others`: the figures to compare with: the rest of the shop, or
 * for a product page the other product pages.
 */
export type Target = {
  key: string
  isTemplate: boolean
  sells: boolean
  isCart: boolean
  figures: PageFigures
  others: PageFigures
  isTested: boolean
}
export type Finding = {
  kind: AssistKind
  target: Target
  goal: Goal
  rate: number | null
  otherRate: number | null
  reach: number
  expectedVisitors: number
  smallestChange: number | null
  score: number
}

/** Minimum number of visitors over all days. Fewer say nothing about a page. */
const enough = 200
/** z above which two rates differ: chance alone exceeds it once in a hundred times (two-sided). */
const clearZ = 2.576
/** Where no rate is bad, the share of orders that we assume a good change to add. */
const hoped = 0.1
/**
 * Largest relative change worth proposing. If a test of four weeks can find only larger ones,
 * nothing is proposed.
 */
const findable = 1

/**
 * What to test, the most promising first. Each target gives at most one finding, the one with the
 * highest score. Pure arithmetic on the shop's own figures; a shop with too little traffic has no
 * findings.
 */
export function findAssists(shop: ShopFigures, targets: readonly Target[]): Finding[] {
  if (shop.days === 0 || shop.visitors < enough) return []
  return targets
    .filter(target => target.figures.visitors >= enough)
    .flatMap(target =>
      [
        bounce(shop, target),
        addToCart(shop, target),
        checkout(shop, target),
        untested(shop, target),
      ]
        .filter(finding => finding !== null)
        .sort(byScore)
        .slice(0, 1),
    )
    .filter(({ smallestChange }) => smallestChange !== null && smallestChange <= findable)
    .sort((a, b) => byScore(a, b) || b.reach - a.reach || (a.target.key < b.target.key ? -1 : 1))
}

const byScore = (a: Finding, b: Finding): number => b.score - a.score

function bounce(shop: ShopFigures, target: Target): Finding | null {
  const { entries, bounces } = target.figures,
    { entries: otherEntries, bounces: otherBounces } = target.others
  if (!isAbove(bounces, entries, otherBounces, otherEntries)) return null
  const rate = bounces / entries,
    otherRate = otherBounces / otherEntries
  // Orders to gain if visits here bounced only as often as elsewhere, and the rest bought like the
  // shop's average visit.
  return finding(shop, target, {
    kind: 'bounce',
    goal: 'ConversionRate',
    rate,
    otherRate,
    orders: (rate - otherRate) * entries * per(shop.ordered, shop.entries),
  })
}

function addToCart(shop: ShopFigures, target: Target): Finding | null {
  const { visitors, adders } = target.figures,
    { visitors: otherVisitors, adders: otherAdders } = target.others
  if (
    !target.sells ||
    !isAbove(visitors - adders, visitors, otherVisitors - otherAdders, otherVisitors)
  )
    return null
  const rate = adders / visitors,
    otherRate = otherAdders / otherVisitors
  return finding(shop, target, {
    kind: 'addToCart',
    goal: 'AddToCartRate',
    rate,
    otherRate,
    orders: (otherRate - rate) * visitors * per(shop.ordered, shop.added),
  })
}

function checkout(shop: ShopFigures, target: Target): Finding | null {
  const { added, checkedOut } = shop
  if (!target.isCart || added < enough || checkedOut >= added) return null
  return finding(shop, target, {
    kind: 'checkout',
    goal: 'ConversionRate',
    rate: checkedOut / added,
    otherRate: null,
    orders: hoped * (added - checkedOut) * per(shop.ordered, checkedOut),
  })
}

function untested(shop: ShopFigures, target: Target): Finding | null {
  if (target.isTested) return null
  return finding(shop, target, {
    kind: 'untested',
    goal: target.sells ? 'AddToCartRate' : 'ConversionRate',
    rate: null,
    otherRate: null,
    orders: hoped * target.figures.visitors * per(shop.ordered, shop.visitors),
  })
}

function finding(
  shop: ShopFigures,
  target: Target,
  { orders, ...what }: Pick<Finding, 'kind' | 'goal' | 'rate' | 'otherRate'> & { orders: number },
): Finding {
  // A test counts visitors once, even if they come on several days.
  const expectedVisitors = Math.round(
    (target.figures.visitors * per(shop.distinct, shop.visitors) * planLimits.effectDays) /
      shop.days,
  )
  const mean =
    what.goal === 'AddToCartRate'
      ? per(target.figures.adders, target.figures.visitors)
      : per(shop.ordered, shop.distinct)
  const variance = mean * (1 - mean)
  return {
    ...what,
    target,
    reach: target.figures.visitors / shop.visitors,
    expectedVisitors,
    smallestChange:
      mean > 0 && mean < 1
        ? smallestEffect(mean, [variance, variance], [0.5, 0.5], expectedVisitors)
        : null,
    score: Math.round(per(orders, shop.ordered) * 10_000) / 10_000,
  }
}

/**
 * Whether a share is larger than another by more than chance: the two-proportion z-test with the
 * pooled share.
 */
function isAbove(count: number, of: number, otherCount: number, otherOf: number): boolean {
  if (of < enough || otherOf < enough) return false
  const pooled = (count + otherCount) / (of + otherOf)
  const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / of + 1 / otherOf))
  return deviation > 0 && (count / of - otherCount / otherOf) / deviation > clearZ
}

const per = (count: number, of: number): number => (of > 0 ? count / of : 0)
