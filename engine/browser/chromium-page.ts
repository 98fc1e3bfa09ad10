import { setTimeout } from 'node:timers/promises'
import type { Browser, HTTPRequest, Page } from 'puppeteer-core'
import { HttpProblem } from '../../domain/problem.ts'
import { BrowserEnded, browserStopped } from './chromium-ended.ts'
import { comesToRest, watchRest } from './chromium-rest.ts'

/** Our own answer to a request of the page, instead of the network's. */
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
  /**
   * True for a page whose scripts do not run: it is complete at its load event. Other pages need
   * more time to come to rest.
   */
  isStill?: boolean
  /** How long we wait for the page to come to rest, in milliseconds; 10 seconds without it. */
  longest?: number
  /** Which requests may leave the browser. Requests other than GET and HEAD never do. */
  mayFetch: (url: URL) => boolean
  /** Answers a request instead of the network. Null for requests that we do not answer. */
  answer: (url: URL, kind: ReturnType<HTTPRequest['resourceType']>) => Promise<Answer | null>
}

/** Some pages never come to rest. After this time, in milliseconds, we take them as they are. */
const longest = 10_000
const jpegQuality = 70

/**
 * An open page. `inside` evaluates an expression in an isolated world, so what the page does to its
 * own objects has no effect there.
 */
export type OpenPage = { page: Page; inside: Inside }
export type Inside = (expression: string) => Promise<unknown>

/**
 * Opens one page in its own browser context, waits until it is at rest, and runs `work` with it.
 * `prepare` runs before the page opens. Throws HttpProblem 502 when the page does not open, and
 * BrowserEnded when it crashes.
 */
export async function withPage<T>(
  browser: Browser,
  ask: PageAsk,
  work: (page: OpenPage) => Promise<T>,
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<T> {
  const context = await browser.createBrowserContext(),
    closing = new AbortController()
  try {
    const page = await context.newPage()
    await page.setViewport({
      width: ask.width,
      height: ask.height,
      deviceScaleFactor: 1,
      isMobile: ask.isPhone,
      hasTouch: ask.isPhone,
    })
    // So that no animation is halfway through.
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
    await page.setRequestInterception(true)
    page.on('request', request => void judge(request, ask).catch(() => {}))
    page.on('dialog', dialog => void dialog.dismiss().catch(() => {}))
    const rest = await watchRest(page)
    await prepare(page)
    const inside = await worldOfOurs(page)
    const crashed = new Promise<never>(
      (_, reject) => void page.on('error', () => reject(new BrowserEnded(browserStopped))),
    )
    const show = async () => {
      await open(page, ask)
      if (!ask.isStill)
        await Promise.race([
          comesToRest(rest, inside, closing.signal),
          setTimeout(ask.longest ?? longest, undefined, { ref: false }),
        ])
      return work({ page, inside })
    }
    return await Promise.race([show(), crashed])
  } finally {
    closing.abort()
    // If the browser has ended, there is nothing to close.
    await context.close().catch(() => {})
  }
}

async function open(page: Page, { url, isStill }: PageAsk): Promise<void> {
  try {
    // For other pages we wait only until the navigation begins; `comesToRest` waits for the rest.
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
  ask: PageAsk & {
    /** Script that runs in the isolated world before the picture is taken. */ before?: string
  },
): Promise<Buffer> =>
  withPage(browser, ask, async ({ page, inside }) => {
    if (ask.before) await inside(ask.before)
    return Buffer.from(
      await page.screenshot({ type: 'jpeg', quality: jpegQuality, captureBeyondViewport: false }),
    )
  })

/**
 * Returns the result of a script as text. The script runs where the page's own scripts do not
 * reach.
 */
export const readPage = (browser: Browser, ask: PageAsk, script: string): Promise<string> =>
  withPage(browser, ask, async ({ inside }) => String(await inside(script)))

/**
 * Returns a function that answers the HTTP status of the page itself, null until the response
 * arrives. Call it before the page opens.
 */
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
  /** Path of the page after all redirects. */ end: string
}

/**
 * A JPEG of the page's window at another scale. Status and path tell whether it is the page that we
 * asked for.
 */
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

/**
 * Returns a function that evaluates an expression in an isolated world. Each call makes the world
 * again, because a world ends with its document.
 */
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

async function judge(request: HTTPRequest, { mayFetch, answer }: PageAsk): Promise<void> {
  const url = URL.parse(request.url())
  const isReading = request.method() === 'GET' || request.method() === 'HEAD'
  const own = url && isReading ? await answer(url, request.resourceType()).catch(() => null) : null
  // The CORS headers are for the preview, which is fetched as a module.
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
