import { namesOf } from './launch-check.ts'
import { circleOf, type Redirect } from './redirect-url.ts'

/**
 * The problem when other redirects lead from this one's variant back to its own page, in words for
 * the merchant; null when they do not. `isChosen`: the variant's page can still be another one.
 */
export function circleProblem(
  redirect: Redirect,
  others: readonly (Redirect & { title: string; isApplied: boolean })[],
  isChosen = true,
): string | null {
  const circle = circleOf(redirect, others)
  if (!circle) return null
  const [lead, one] = circle.length > 1 ? ['lead', 'one of them'] : ['leads', 'that test']
  const undo = circle.some(({ isApplied }) => isApplied) ? 'apply the control of' : 'end'
  const way = `${undo} ${one} first.`
  return `${namesOf(circle.map(({ title }) => title))} ${lead} from there back to ${redirect.control}: the tests would go in a circle. ${isChosen ? `Name another page, or ${way}` : `${way[0]!.toUpperCase()}${way.slice(1)}`}`
}
