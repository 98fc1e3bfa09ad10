import { betaCdf, logGamma } from '../stats/special.ts'

/** Share of buyers who may be charged otherwise than shown for reasons of their own (another app, a draft order): a test runs on with them. */
export const toleratedShare = 1 / 50
/** How many times likelier than the tolerated share the orders must make a higher one before a test is held. */
export const neededEvidence = 100
/** Nobody stops a test alone, nor with one other. */
export const fewestBuyers = 3

/** Buyers that are looked back on: a shop's long good time must not hide that its prices broke an hour ago. */
export const recentBuyers = 30

/**
 * How many times likelier the orders are if more buyers than tolerated are charged wrongly, every share above being as
 * likely, than if just the tolerated share is (a Bayes factor of Beta-binomial form; decision 045 has its error rates).
 * `wrong` and `judged` count buyers. Answers the natural logarithm.
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

/** Whether a price test is to be held for its latest buyers, at most `recentBuyers` of them. Three of up to ten hold it, four of up to nineteen, five of up to thirty. */
export const doChargesHold = ({ wrong, judged }: { wrong: number; judged: number }): boolean =>
  wrong >= fewestBuyers && wrongChargeEvidence(wrong, judged) >= Math.log(neededEvidence)
