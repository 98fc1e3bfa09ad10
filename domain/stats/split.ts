import { chiSquareTail } from './special.ts'

/**
 * Below this p-value the split is broken: a red banner and no winner (docs/statistics.md, "Split
 * check").
 */
export const brokenSplit = 0.001

/**
 * The p-value of Pearson's chi-square test of the visitors per arm against the weights, which need
 * not sum to 1. Null without visitors, or when a weight is not above 0.
 */
export function splitCheck(users: readonly number[], weights: readonly number[]): number | null {
  const total = users.reduce((a, b) => a + b, 0),
    weight = weights.reduce((a, b) => a + b, 0)
  if (
    users.length < 2 ||
    users.length !== weights.length ||
    !(total > 0) ||
    weights.some(w => !(w > 0))
  )
    return null
  const statistic = users.reduce((sum, seen, i) => {
    const expected = (total * weights[i]!) / weight
    return sum + (seen - expected) ** 2 / expected
  }, 0)
  return chiSquareTail(statistic, users.length - 1)
}
