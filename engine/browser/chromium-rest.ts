import { setTimeout } from 'node:timers/promises'
import type { Page } from 'puppeteer-core'
import type { Inside } from './chromium-page.ts'

/** A page is at rest after this time without a request, in milliseconds. */
const restTime = 500,
  /** How often we look. */ every = 50

/** What a page is doing. */
export type Rest = {
  /** How many requests and navigations it has begun. */
  begun: () => number
  /** Whether a request is on its way. */
  isBusy: () => boolean
}

/**
 * Watches the requests of a page; call it before the page opens. The browser says no end of the
 * requests that a page leaves behind when a script leads to another page. They are forgotten then;
 * puppeteer would wait for them for good, and so does `waitForNetworkIdle`.
 */
export async function watchRest(page: Page): Promise<Rest> {
  const client = await page.createCDPSession()
  /** The document by the request that belongs to it. */
  const running = new Map<string, string>()
  let begun = 0
  client.on('Network.requestWillBeSent', ({ requestId, loaderId }) => {
    begun++
    running.set(requestId, loaderId)
  })
  client.on('Network.loadingFinished', ({ requestId }) => void running.delete(requestId))
  client.on('Network.loadingFailed', ({ requestId }) => void running.delete(requestId))
  client.on('Page.frameNavigated', ({ frame: { parentId, loaderId } }) => {
    if (parentId !== undefined) return
    begun++
    for (const [request, document] of running) if (document !== loaderId) running.delete(request)
  })
  await Promise.all([client.send('Network.enable'), client.send('Page.enable')])
  return { begun: () => begun, isBusy: () => running.size > 0 }
}

/** Ends when the page is at rest, or is closed (`closing`). */
export async function comesToRest(
  { begun, isBusy }: Rest,
  inside: Inside,
  closing: AbortSignal,
): Promise<void> {
  const look = (): Promise<void> => setTimeout(every)
  while (!closing.aborted) {
    for (let quietAt = performance.now(); performance.now() < quietAt + restTime;) {
      const before = begun()
      await look()
      if (closing.aborted) return
      if (isBusy() || begun() !== before) quietAt = performance.now()
    }
    const before = begun()
    // Waits until late fonts and the scripts' changes are drawn. If the page began something
    // meanwhile, we wait again.
    const isLoaded = await inside(
      'document.fonts.ready.then(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(document.readyState !== "loading")))))',
    ).catch(() => false)
    if (isLoaded === true && begun() === before) return
  }
}
