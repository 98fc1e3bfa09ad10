import { themeParameter } from '../domain/events/page-facts.ts'
import { isRefused } from './consent.ts'
import { guarded, on } from './guard.ts'
import { keep, recall } from './memory.ts'
import { withParameter } from './travel.ts'

/**
 * A visitor who refuses must not stay in the theme that we put on their browser. The runtime
 * deletes the memory when it hears of the refusal, so this part listens before the runtime does.
 * Right after our own redirect the memory does not name the theme yet; then the parameter in the
 * address shows it.
 */
export const leaveTheme = guarded(() => {
  const leave = (): void => {
    const memory = isRefused() && recall()
    const here = new URL(location.href)
    if (!memory || !(memory.theme || (memory.way && here.searchParams.get(themeParameter)))) return
    // Forget it before leaving, so that this happens only once.
    delete memory.theme
    delete memory.way
    keep(memory)
    location.replace(withParameter(here, themeParameter, ''))
  }
  on('shopprivacychange', leave)
  leave()
})
