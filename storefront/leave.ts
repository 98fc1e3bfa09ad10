import { themeParameter } from '../domain/events/page-facts.ts'
import { isRefused } from './consent.ts'
import { guarded, on } from './guard.ts'
import { keep, recall } from './memory.ts'
import { withParameter } from './travel.ts'

/**
 * Who refuses is not left in the theme that we put on their browser. What we know of it is gone once the runtime has heard
 * of the refusal, so this listens before it; where we have just led it stands in no memory yet.
 */
export const leaveTheme = guarded(() => {
  const leave = (): void => {
    const memory = isRefused() && recall()
    const here = new URL(location.href)
    if (!memory || !(memory.theme || (memory.way && here.searchParams.get(themeParameter)))) return
    // Whatever becomes of the page: once.
    delete memory.theme
    delete memory.way
    keep(memory)
    location.replace(withParameter(here, themeParameter, ''))
  }
  on('shopprivacychange', leave)
  leave()
})
