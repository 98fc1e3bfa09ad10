import { setTimeout } from 'node:timers/promises'
import type { Page, Request } from '@playwright/test'
import { slowness } from './slowness.ts'

/** How long nothing was requested on a page that counts as quiet, and the limit. Milliseconds. */
const pause = 500,
  longest = 90_000 * slowness

/**
 * Watches the requests of a page and of its frames. Call it before the page is opened, because a
 * request that has begun before is not known. `quiet` resolves half a second after the last request
 * has ended, and says on failure which ones have not.
 *
 * Playwright's own "networkidle" is not used: on a busy machine it sometimes never comes, though
 * every request has ended (https://github.com/microsoft/playwright/issues/42598).
 */
export function watchRequests(page: Page): { quiet: () => Promise<void> } {
  const open = new Set<Request>()
  let changedAt = Date.now()
  const end = (request: Request) => {
    open.delete(request)
    changedAt = Date.now()
  }
  page.on('request', request => {
    open.add(request)
    changedAt = Date.now()
  })
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  return {
    async quiet() {
      changedAt = Date.now()
      const until = changedAt + longest
      while (open.size || Date.now() - changedAt < pause) {
        if (Date.now() > until)
          throw new Error(`Not loaded: ${[...open].map(request => request.url()).join(' ')}`)
        await setTimeout(50)
      }
    },
  }
}
