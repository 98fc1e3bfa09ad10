import { betaCdf, logGamma } from '../stats/special.ts'

/**
 * Share of buyers who may be charged a price that differs from the one shown, for reasons outside
 * the test (another app, a draft order). A test continues in spite of them.
 */
export const toleratedShare = 1 / 50
/**
 * The Bayes factor that holds a test: the orders must be this many times likelier under a higher
 * share than under the tolerated one.
 */
export const neededEvidence = 100
/** Fewer wrongly charged buyers never hold a test, so that one or two persons cannot stop it. */
export const fewestBuyers = 3

/**
 * Number of latest buyers that the rule looks at. A long good time must not hide that the prices
 * broke an hour ago.
 */
export const recentBuyers = 30

/**
 * The natural logarithm of a Bayes factor: how many times likelier the orders are if the share of
 * wrongly charged buyers is above the tolerated one (all such shares equally likely) than if it is
 * exactly the tolerated one. Beta-binomial form; decision 045 has its error rates. `wrong` and
 * `judged` count buyers.
 */
export function wrongChargeEvidence(wrong: number, judged: number): number {
  const right = judged - wrong,
    p = toleratedShare
  const logBeta = logGamma(wrong + 1) + logGamma(right + 1) - logGamma(judged + 2)
  return (
    logBeta +
    Math.log(betaCdf(right + 1, wrong + 1, 1 - p, p)) -
    Math.log(1 - p) -
    wrong * Math.log(p) -
    right * Math.log(1 - p)
  )
}

/**
 * Whether a price test must be held because of its latest buyers, at most `recentBuyers`. Three
 * wrong of up to ten hold it, four of up to nineteen, five of up to thirty.
 */
export const doChargesHold = ({ wrong, judged }: { wrong: number; judged: number }): boolean =>
  wrong >= fewestBuyers && wrongChargeEvidence(wrong, judged) >= Math.log(neededEvidence)
