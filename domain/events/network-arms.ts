import { type PerArm } from '../arm.ts'
import { binomialTest } from '../stats/binomial.ts'

/**
 * When the visitors that a network brought to a test are one-sided (decision 041). Which arm a visitor is in follows from
 * a hash of their id, so an honest network has both arms as the weights say; a forger who chooses ids to move a split
 * cannot have that.
 */
export const armsRule = {
  /**
   * p below which it is no chance. Each new visitor is a look, and big shops have hundreds of networks: at this limit a
   * shop of 10,000 visitors a day with five tests is wrong about one network in two thousand years.
   */
  limit: 1e-10,
} as const

/** Visitors per arm that one network newly brought to one test within `networkRule.kept`. */
export function isOneSided(
  [control, variant]: PerArm<number>,
  [forControl, forVariant]: PerArm<number>,
  limit: number = armsRule.limit,
): boolean {
  const visitors = control + variant,
    weight = forControl + forVariant
  // A test that has only one arm has no split that could be broken.
  if (visitors <= 0 || !(forControl > 0) || !(forVariant > 0)) return false
  return binomialTest(variant, visitors, forVariant / weight) < limit
}
