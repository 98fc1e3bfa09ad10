import type { ScriptTest } from '../script/script-config.ts'
import { namesOf } from './launch-check.ts'
import { circleOf, isSamePage, type Redirect } from './redirect-url.ts'

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

/** A redirect test whose applied variant is made by our script, with the control's pages. */
export type SentOn = Redirect & { pages: readonly string[] }

/**
 * What the script needs to send visitors on for good. The newest application must come first: where
 * two begin at one page, the first is followed. A page that leads on to a third one leads there at
 * once, because a page that the script led to never redirects again. Redirects that lead in a
 * circle are left out: the checks before a launch and an application prevent them, and nobody may
 * be sent round in one whatever is stored.
 */
export function sentTests(all: readonly SentOn[]): ScriptTest[] {
  const straight = all.filter(one => !isSamePage(one.control, one.variant) && !circleOf(one, all))
  return straight.map(one => ({
    // They count for no test.
    id: '',
    weights: [1, 0],
    pages: [...one.pages],
    sent: endOf(one, straight),
  }))
}

/** The page at the end of a chain without circles. */
function endOf({ variant }: Redirect, others: readonly SentOn[]): string {
  // A redirect for one query is not for every visitor of its page.
  const next = others.find(({ control }) => !control.includes('?') && isSamePage(control, variant))
  return next ? endOf(next, others) : variant
}

/** The applied redirect that sends the visitors of this page on; undefined when none does. */
export const sentFrom = <T extends Redirect>(page: string, all: readonly T[]): T | undefined =>
  all.find(({ control }) => isSamePage(control, page))

/** Says that the visitors of a page are sent on, as the reason why no test can use it. */
export const sentOnMessage = (
  page: string,
  { title, variant }: Pick<Redirect, 'variant'> & { title: string },
): string => `The applied test “${title}” sends the visitors of ${page} to ${variant}.`
