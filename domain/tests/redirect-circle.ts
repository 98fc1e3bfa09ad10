import { namesOf } from './launch-check.ts'
import { circleOf, type Redirect } from './redirect-url.ts'

/**
 * The problem when other redirects lead from this one's variant back to its own page, in words for
 * the merchant; null when they do not.
 */
export function circleProblem(
  redirect: Redirect,
  others: readonly (Redirect & { title: string })[],
): string | null {
  const circle = circleOf(redirect, others)
  if (!circle) return null
  const [lead, one] = circle.length > 1 ? ['lead', 'one of them'] : ['leads', 'that test']
  return `${namesOf(circle.map(({ title }) => title))} ${lead} from there back to ${redirect.control}: the tests would go in a circle. Name another page, or end ${one} first.`
}
