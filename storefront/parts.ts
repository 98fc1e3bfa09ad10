import type { answerShop } from './api.ts'
import type { watchSpeed } from './speed.ts'
import type { Rules, TagFacts, Visit, VisitorMemory } from './core.ts'

/**
 * What only some tests need, built apart from the runtime: a shop's script carries the parts that
 * its running tests ask for, and no others (engine/script/compose.ts).
 */
export type Parts = Rules & {
  /**
   * Shows the visitor's arms on the page. Returns functions that look again for a while, for code
   * that redraws parts of a page after a click.
   */
  showArms?: (
    visit: Visit,
    applied: string[],
    facts: TagFacts,
    memory: VisitorMemory,
  ) => ((() => void) | undefined)[]
  answerShop?: typeof answerShop
  watchSpeed?: typeof watchSpeed
}
