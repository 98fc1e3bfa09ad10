import { setTimeout } from 'node:timers/promises'
import type { Browser, HTTPRequest, Page } from 'puppeteer-core'
import { HttpProblem } from '../../domain/problem.ts'
import { BrowserEnded, browserStopped } from './chromium-ended.ts'

/** What a request of a page is answered with in the network's place. */
export type Answer = {
  type: string
  body: Buffer | string
  status?: number
  headers?: Record<string, string>
}
export type PageAsk = {
  url: string
  width: number
  height: number
  isPhone: boolean
  /** A page whose scripts do not run is there with its stylesheets; others come to rest some time later. */
  isStill?: boolean
  /** Which requests may leave the browser; only reading ones do in any case. */
  mayFetch: (url: URL) => boolean
  /** Answers a request in the network's place; null for those that are not for us. */
  answer: (url: URL, kind: ReturnType<HTTPRequest['resourceType']>) => Promise<Answer | null>
}

/** Some pages never come to rest: after this long they are taken as they are. Milliseconds. */
const timeout = 10_000
/** Nothing is under way for so long: the page rests. Milliseconds. */
const restTime = 500
const jpegQuality = 70

/** A page that is open, and a script's value in a world of our own: what the page does to its own objects is not there. */
export type OpenPage = { page: Page; inside: Inside }
export type Inside = (expression: string) => Promise<unknown>

/**
 * One page, in a browser context of its own, once it has come to rest. `prepare` is done before it is opened. Throws
 * HttpProblem 502 when it does not open.
 */
export async function withPage<T>(
  browser: Browser,
  ask: PageAsk,
  work: (page: OpenPage) => Promise<T>,
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<T> {
  const context = await browser.createBrowserContext()
  try {
    const page = await context.newPage()
    await page.setViewport({
      width: ask.width,
      height: ask.height,
      deviceScaleFactor: 1,
      isMobile: ask.isPhone,
      hasTouch: ask.isPhone,
    })
    // Nothing half way through a movement.
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
    await page.setRequestInterception(true)
    page.on('request', request => void judge(request, ask).catch(() => {}))
    page.on('dialog', dialog => void dialog.dismiss().catch(() => {}))
    const isAtRest = watchRest(page)
    await prepare(page)
    const inside = await worldOfOurs(page)
    const crashed = new Promise<never>(
      (_, reject) => void page.on('error', () => reject(new BrowserEnded(browserStopped))),
    )
    const show = async () => {
      await open(page, ask)
      if (!ask.isStill)
        await Promise.race([
          comesToRest(page, inside, isAtRest),
          setTimeout(timeout, undefined, { ref: false }),
        ])
      return work({ page, inside })
    }
    return await Promise.race([show(), crashed])
  } finally {
    // Of a browser that is gone there is nothing to close.
    await context.close().catch(() => {})
  }
}

async function open(page: Page, { url, isStill }: PageAsk): Promise<void> {
  try {
    // Else only that it begins: how long it then takes is judged by what it does.
    await page.goto(url, { waitUntil: isStill ? 'load' : [], timeout: 0 })
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('net::ERR_')) throw error
    // A redirect by script ends the first navigation early; that is no failure of the page.
    if (!error.message.includes('net::ERR_ABORTED'))
      throw new HttpProblem(502, 'The shop’s page did not open.')
  }
}

/** A JPEG of the page's window. */
export const takePicture = (
  browser: Browser,
  ask: PageAsk & { /** Run beside the page before it is looked at. */ before?: string },
): Promise<Buffer> =>
  withPage(browser, ask, async ({ page, inside }) => {
    if (ask.before) await inside(ask.before)
    return Buffer.from(
      await page.screenshot({ type: 'jpeg', quality: jpegQuality, captureBeyondViewport: false }),
    )
  })

/** What a script says of the page, run where the page's own scripts do not reach. */
export const readPage = (browser: Browser, ask: PageAsk, script: string): Promise<string> =>
  withPage(browser, ask, async ({ inside }) => String(await inside(script)))

/** The answer that the page itself came with, once there is one. To be called before the page is opened. */
export function watchStatus(page: Page): () => number | null {
  let status: number | null = null
  page.on('response', response => {
    if (response.frame() === page.mainFrame() && response.request().isNavigationRequest())
      status = response.status()
  })
  return () => status
}

export type SmallPicture = {
  image: Buffer
  status: number | null
  /** Path of the page that is shown in the end. */ end: string
}

/** A page as a JPEG of its window at another scale, and whether it is the page that was asked for. */
export async function takeSmallPicture(
  browser: Browser,
  ask: PageAsk,
  scale: number,
): Promise<SmallPicture> {
  let status = (): number | null => null
  return withPage(
    browser,
    ask,
    async ({ page }) => {
      const clip = { x: 0, y: 0, width: ask.width, height: ask.height, scale }
      const image = await page.screenshot({
        type: 'jpeg',
        quality: jpegQuality,
        captureBeyondViewport: false,
        clip,
      })
      return {
        image: Buffer.from(image),
        status: status(),
        end: URL.parse(page.url())?.pathname ?? '',
      }
    },
    async page => {
      status = watchStatus(page)
    },
  )
}

/** Made again for every document: none outlives the one it belongs to. */
async function worldOfOurs(page: Page): Promise<Inside> {
  const client = await page.createCDPSession()
  return async expression => {
    const { frameTree } = await client.send('Page.getFrameTree')
    const { executionContextId } = await client.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
      worldName: 'twinshelf',
    })
    const { result, exceptionDetails } = await client.send('Runtime.evaluate', {
      expression,
      contextId: executionContextId,
      returnByValue: true,
      awaitPromise: true,
    })
    if (exceptionDetails)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }
}

/** Counts what a page does that it has not finished: answers a mark that changes with everything it begins. */
function watchRest(page: Page): () => number {
  let begun = 0
  const begins = () => {
    begun++
  }
  page.on('request', begins)
  page.on('framenavigated', frame => {
    if (frame === page.mainFrame()) begins()
  })
  return () => begun
}

async function comesToRest(page: Page, inside: Inside, begun: () => number): Promise<void> {
  for (;;) {
    await page.waitForNetworkIdle({ idleTime: restTime, timeout: 0 })
    const before = begun()
    // Fonts that came late are drawn, and what scripts changed; a page that continued meanwhile is waited for again.
    const isLoaded = await inside(
      'document.fonts.ready.then(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(document.readyState !== "loading")))))',
    ).catch(() => false)
    if (isLoaded === true && begun() === before) return
  }
}

async function judge(request: HTTPRequest, { mayFetch, answer }: PageAsk): Promise<void> {
  const url = URL.parse(request.url())
  const isReading = request.method() === 'GET' || request.method() === 'HEAD'
  const own = url && isReading ? await answer(url, request.resourceType()).catch(() => null) : null
  // The preview is fetched as a module.
  if (own)
    await request.respond({
      status: own.status ?? 200,
      contentType: own.type,
      body: own.body,
      headers: {
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        ...own.headers,
      },
    })
  else if (url && isReading && mayFetch(url)) await request.continue()
  else await request.abort('blockedbyclient')
}
