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
  /**
   * Networks below this p-value are also tested together, up to `size` of them (decision 061). With
   * it, few honest networks cause a look at the others.
   */
  doubtful: 1e-3,
  size: 5,
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

/**
 * A network with fewer visitors in a test is never doubtful: not even all of them in the smaller
 * arm are rare enough.
 */
export function fewestDoubtful([forControl, forVariant]: PerArm<number>): number {
  const smaller = Math.min(forControl, forVariant) / (forControl + forVariant)
  return Math.floor(Math.log(armsRule.doubtful / 2) / Math.log(smaller))
}

/**
 * Which of these networks are one-sided together: their indexes, or none. Takes the visitors per
 * arm that each brought to the test within `networkRule.kept`. `all`: how many networks brought
 * visitors. `networks` may lack those below `fewestDoubtful`, and all but `armsRule.size` of those
 * with the same visitors: none of these is ever chosen. The p-value of a group is multiplied by the
 * number of groups of its size, because the group was chosen for its split.
 */
export function oneSidedTogether(
  networks: readonly PerArm<number>[],
  weights: PerArm<number>,
  all: number = networks.length,
): number[] {
  const chance = weights[1] / (weights[0] + weights[1])
  const doubtful = networks
    .map((arms, index) => ({ arms, index, visitors: arms[0] + arms[1] }))
    .filter(({ arms }) => isOneSided(arms, weights, armsRule.doubtful))
  for (const isVariant of [false, true]) {
    const leaning = doubtful
      .filter(({ arms, visitors }) => arms[1] > chance * visitors === isVariant)
      .map(one => ({ ...one, p: binomialTest(one.arms[1], one.visitors, chance) }))
      .sort((a, b) => a.p - b.p)
    let variant = 0,
      visitors = 0,
      groups = 1
    for (const [i, one] of leaning.slice(0, armsRule.size).entries()) {
      variant += one.arms[1]
      visitors += one.visitors
      groups *= (all - i) / (i + 1)
      if (i > 0 && binomialTest(variant, visitors, chance) * groups < armsRule.limit)
        return leaning.slice(0, i + 1).map(({ index }) => index)
    }
  }
  return []
}
