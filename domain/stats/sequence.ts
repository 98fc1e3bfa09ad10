/**
 * Half-width of the 95% confidence sequence of a difference of means: however often we look, the
 * true difference is ever outside in at most 5% of tests. `se`: the difference's present standard
 * error. `visitors`: N = n_A + n_B. `planned`: N*.
 * Source: docs/statistics.md, "Decision" (the asymptotic sequence of Waudby-Smith et al., 2021,
 * tightest at N*).
 */
export function sequenceHalfWidth(
  se: number,
  visitors: number,
  planned: number,
  alpha = 0.05,
): number {
  const rho2 = (-2 * Math.log(alpha) + Math.log(1 - 2 * Math.log(alpha))) / planned
  const grown = visitors * rho2 + 1
  return (
    se *
    Math.sqrt(visitors) *
    Math.sqrt(((2 * grown) / (visitors * visitors * rho2)) * Math.log(Math.sqrt(grown) / alpha))
  )
}
