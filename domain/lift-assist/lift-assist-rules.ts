import { planLimits } from '../reports/estimate.ts'
import { smallestEffect } from '../stats/power.ts'
import type { Goal } from '../reports/goal.ts'

/** What a proposal rests on: visits that end where they began, products that are seldom put into the cart, carts that are left, pages never tested. */
export const assistKinds = ['bounce', 'addToCart', 'checkout', 'untested'] as const
export type AssistKind = (typeof assistKinds)[number]

/** Sums over the days looked at. `visitors` and `adders` are different ones of a day. */
export type PageFigures = {
  visitors: number
  views: number
  entries: number
  bounces: number
  exits: number
  adders: number
}
/** The shop as a whole over the same days. `distinct`: visitors, each once however many days they came on. */
export type ShopFigures = PageFigures & {
  days: number
  distinct: number
  viewed: number
  added: number
  checkedOut: number
  ordered: number
}
/** Pages that could be tested together. `others`: what they are held against (the rest of the shop; of a product page, other products'). */
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

/** Fewer visitors than this in all days together say nothing of a page. */
const enough = 200
/** Two rates differ when chance alone would do it once in a hundred times (two-sided). */
const clearZ = 2.576
/** Without a leak, the share of orders that a good change is taken to add. */
const hoped = 0.1
/** What a test of four weeks cannot find is not proposed. */
const findable = 1

/**
 * What to test, the most promising first: of each target its largest leak, or that nothing was ever tested there. Pure
 * arithmetic on the shop's own figures; a shop without traffic has no findings.
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
  // Visits that would have continued like those elsewhere, buying as visits do.
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
  // Visitors who come on several days are one visitor to a test.
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

/** Whether a share lies above another by more than chance: the two-proportion z-test with the pooled share. */
function isAbove(count: number, of: number, otherCount: number, otherOf: number): boolean {
  if (of < enough || otherOf < enough) return false
  const pooled = (count + otherCount) / (of + otherOf)
  const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / of + 1 / otherOf))
  return deviation > 0 && (count / of - otherCount / otherOf) / deviation > clearZ
}

const per = (count: number, of: number): number => (of > 0 ? count / of : 0)
