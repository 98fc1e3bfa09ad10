import { type PerArm } from '../arm.ts'
import { binomialTest } from '../stats/binomial.ts'

/**
 * Decides when the visitors that a network brought to a test are one-sided (decision 041). A hash
 * of the visitor's id gives the arm, so the visitors of an honest network are split as the weights
 * say. Those of a forger who chooses ids to move the split are not.
 */
export const armsRule = {
  /**
   * The p-value below which the split is not chance. It is very small because each new visitor is
   * another look and big shops have hundreds of networks. With it, a shop with 10,000 visitors a
   * day and five tests is wrong about one network in two thousand years.
   */
  limit: 1e-10,
} as const

/**
 * Whether the split is not chance. Takes the new visitors per arm that one network brought to one
 * test within `networkRule.kept`, and the test's weights.
 */
export function isOneSided(
  [control, variant]: PerArm<number>,
  [forControl, forVariant]: PerArm<number>,
  limit: number = armsRule.limit,
): boolean {
  const visitors = control + variant,
    weight = forControl + forVariant
  // With one arm only, there is no split.
  if (visitors <= 0 || !(forControl > 0) || !(forVariant > 0)) return false
  return binomialTest(variant, visitors, forVariant / weight) < limit
}
