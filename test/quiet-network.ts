import { setTimeout } from 'node:timers/promises'
import type { Page, Request } from '@playwright/test'
import { slowness } from './slowness.ts'

/** A page is quiet when so many looks in a row, each so many milliseconds apart, see no request. */
const looks = 10,
  between = 50
/** After this time `quiet` fails. Milliseconds. */
const timeout = 90_000 * slowness

/**
 * Watches the requests of a page and of its frames. Call it before the page is opened, because a
 * request that has begun before is not known. `quiet` resolves half a second after the last request
 * has ended, and says on failure which ones have not.
 *
 * Looks are counted instead of time, because on a busy machine this process may sleep for longer
 * than half a second while the news of a request waits for it.
 *
 * Playwright's own "networkidle" is not used: on a busy machine it sometimes never comes, though
 * every request has ended (https://github.com/microsoft/playwright/issues/42598).
 */
export function watchRequests(page: Page): { quiet: () => Promise<void> } {
  const open = new Set<Request>()
  let seen = 0,
    last = 'none'
  const end = (request: Request) => {
    open.delete(request)
    seen = 0
  }
  page.on('request', request => {
    open.add(request)
    seen = 0
    last = request.url()
  })
  page.on('requestfinished', end)
  page.on('requestfailed', end)
  return {
    async quiet() {
      const until = Date.now() + timeout
      for (seen = 0; seen < looks; seen++) {
        if (Date.now() > until)
          throw new Error(
            `Not quiet. Open: ${[...open].map(request => request.url()).join(' ') || 'none'}; last: ${last}`,
          )
        await setTimeout(between)
        if (open.size > 0) seen = -1
      }
    },
  }
}
