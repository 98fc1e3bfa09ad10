import { lookup } from 'node:dns'
import { promisify } from 'node:util'
import { choiceScale, choiceWindow } from '../../domain/drafts/pictures/choice-picture.ts'
import { callTimeouts } from '../../domain/call-timeouts.ts'
import { HttpProblem } from '../../domain/problem.ts'
import {
  type ScreenshotDevice,
  screenshotDevices,
} from '../../domain/drafts/pictures/screenshot.ts'
import { type Chromium, findChromium, openChromium } from './chromium.ts'
import { BrowserEnded } from './chromium-ended.ts'
import type { PageLook } from './chromium-look.ts'
import type { PageAsk, SmallPicture } from './chromium-page.ts'
import type { EngineContext } from '../context.ts'
import { arePublic, type Resolve } from '../http/public-hosts.ts'
import type { ShopHosts } from '../drafts/redirect-urls.ts'

/**
 * Answers requests for our own public origin, so that the browser needs no network access to it.
 */
export type OwnAnswer = (path: string) => Promise<{ type: string; body: Buffer } | null>
export type ShopPages = {
  /** JPEG of a page's window; `before` is run in the page first. */
  picture: (url: string, device: ScreenshotDevice, before: string) => Promise<Buffer>
  /** JPEG of a page as a new visitor sees it while no test runs, half as large as its window. */
  small: (url: string) => Promise<SmallPicture>
  look: (url: string, device: ScreenshotDevice, selectors: readonly string[]) => Promise<PageLook>
  /**
   * The result of our script in a page. Only `answer` answers the page's requests; none goes to the
   * network.
   */
  read: (url: string, answer: PageAsk['answer'], script: string) => Promise<string>
  /** Whether work that a person waits for needs the browser. */
  isWaitedFor: () => boolean
}
/** A browser of our own that sees one shop and nothing else. */
export type ShopBrowser = {
  isThere: () => boolean
  /**
   * Opens a browser for this work and closes it afterwards. Throws HttpProblem 503 when there is no
   * browser, 504 when a page takes too long. `isPatient`: nobody waits for this work, so it should
   * end soon when `isWaitedFor` says so.
   */
  use: <T>(
    hosts: ShopHosts,
    signal: AbortSignal,
    work: (pages: ShopPages) => Promise<T>,
    asked?: { isPatient: boolean },
  ) => Promise<T>
  /**
   * The same for a request that waits: it does not queue behind jobs, and all its pages together
   * have one timeout. Throws HttpProblem 409 when a page ends the browser, 429 when the browser is
   * busy with other shops for too long.
   */
  read: <T>(hosts: ShopHosts, work: (pages: ShopPages) => Promise<T>) => Promise<T>
}

/**
 * Timeouts in seconds. `page`: for each page in jobs, and for the start of the browser. `read`: for
 * a whole reading while a request waits. `wait`: for the readings of other shops before it. These
 * two are shorter than the call that waits (decision 054).
 */
const usualTimes = {
  page: 30,
  read: callTimeouts.reading / 1_000,
  wait: callTimeouts.readingTurn / 1_000,
}
export const noChromium = (status: 503 | 409 = 503) =>
  new HttpProblem(
    status,
    'This server has no Chrome, Chromium or Edge to open your shop’s pages with. Ask support to set one up.',
  )

const isBusy = () =>
  new HttpProblem(429, 'Other shops are being read right now. Try again in a minute.')

export function shopBrowser(
  { config, log }: Pick<EngineContext, 'config' | 'log'>,
  ownAnswer: OwnAnswer,
  times = usualTimes,
): ShopBrowser {
  const own = new URL(config.PUBLIC_ORIGIN)

  async function open<T>(
    hosts: ShopHosts,
    signal: AbortSignal,
    seconds: number,
    isWhole: boolean,
    work: (pages: ShopPages) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted()
    const path = findChromium(config.CHROMIUM_PATH)
    if (!path) throw noChromium()
    const slow = new AbortController()
    const ask = (url: string, device: ScreenshotDevice) => ({
      url,
      ...screenshotDevices[device],
      mayFetch: (request: URL) => isOfShop(request, hosts),
      answer: async (request: URL) =>
        request.origin === own.origin && request.pathname === '/s/preview.js'
          ? ownAnswer(request.pathname + request.search)
          : null,
    })
    const limit = () => setTimeout(() => slow.abort(), seconds * 1_000)
    const whole = isWhole ? limit() : undefined
    const inTime = async <P>(page: Promise<P>): Promise<P> => {
      if (isWhole) return page
      const timer = limit()
      return page.finally(() => clearTimeout(timer))
    }
    let chromium: Chromium | undefined
    try {
      const opened = (chromium = await inTime(
        openChromium({
          path,
          sandbox: config.CHROMIUM_SANDBOX,
          launcher: config.CHROMIUM_LAUNCHER,
          resolverRules: await rulesFor(hosts),
          signal: AbortSignal.any([signal, slow.signal]),
          onNoSandbox: error => log.warn({ err: error }, 'the browser starts without its sandbox'),
        }),
      ))
      return await work({
        picture: (url, device, before) => inTime(opened.picture({ ...ask(url, device), before })),
        small: url =>
          inTime(
            opened.smallPicture(
              { ...ask(url, 'desktop'), ...choiceWindow, answer: async () => null },
              choiceScale,
            ),
          ),
        look: (url, device, selectors) => inTime(opened.look(ask(url, device), selectors)),
        read: (url, answer, script) =>
          inTime(
            opened.read(
              {
                url,
                answer,
                width: 1280,
                height: 960,
                isPhone: false,
                isStill: true,
                mayFetch: () => false,
              },
              script,
            ),
          ),
        isWaitedFor: () => waiting > 0,
      })
    } catch (error) {
      if (!slow.signal.aborted || signal.aborted) throw error
      log.warn({ err: error }, 'page not drawn in time')
      throw new HttpProblem(
        504,
        isWhole
          ? `The shop’s pages took longer than ${seconds} seconds to read.`
          : `The shop’s page took longer than ${seconds} seconds to draw.`,
      )
    } finally {
      clearTimeout(whole)
      await chromium?.close()
    }
  }

  const forJobs = oneByOne(),
    forReading = oneByOne()
  /** Works in `forJobs` that persons wait for, without the one that has its turn. */
  let waiting = 0
  return {
    isThere: () => findChromium(config.CHROMIUM_PATH) !== null,
    use: (hosts, signal, work, { isPatient } = { isPatient: false }) => {
      if (!isPatient) waiting++
      return forJobs(() => {
        if (!isPatient) waiting--
        return open(hosts, signal, times.page, false, work)
      })
    },
    read: (hosts, work) => {
      const late = Promise.withResolvers<never>()
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        late.reject(isBusy())
      }, times.wait * 1_000)
      const reading = forReading(async () => {
        if (isLate) throw isBusy()
        clearTimeout(timer)
        return open(hosts, never, times.read, true, work)
      })
      return Promise.race([reading, late.promise]).catch((error: unknown) => {
        throw error instanceof BrowserEnded ? new HttpProblem(409, error.message) : error
      })
    },
  }
}

const never = new AbortController().signal
/** A queue that runs one work at a time, because each browser takes a few hundred megabytes. */
function oneByOne(): <T>(work: () => Promise<T>) => Promise<T> {
  let turn: Promise<unknown> = Promise.resolve()
  return work => {
    const mine = turn.catch(() => {}).then(work)
    turn = mine
    return mine
  }
}

const localNames = ['localhost', '127.0.0.1']
const namesOf = ({ shop, domain, origin }: ShopHosts): string[] => [
  ...new Set([new URL(origin).hostname, shop, domain].map(name => name.toLowerCase())),
]

const isOfShop = (url: URL, hosts: ShopHosts): boolean =>
  url.origin === hosts.origin ||
  (url.port === '' && /^https?:$/.test(url.protocol) && namesOf(hosts).includes(url.hostname))

/**
 * Chromium's resolver rules for one shop: the shop's host names resolve to the public addresses
 * that they have now, all other names to nothing. So the browser connects to the address that we
 * checked, even if the name resolves to another one later. The only exception, as everywhere, is a
 * shop on this machine.
 */
export async function rulesFor(hosts: ShopHosts, resolve: Resolve = lookup): Promise<string> {
  const [main = '', ...others] = namesOf(hosts)
  if (localNames.includes(main)) return `EXCLUDE ${main},MAP * ~NOTFOUND`
  const rules: string[] = []
  for (const name of [main, ...others]) {
    const addresses = await promisify(resolve)(name, { all: true }).catch(() => [])
    const [first] = addresses
    if (first && arePublic(addresses))
      rules.push(`MAP ${name} ${first.family === 6 ? `[${first.address}]` : first.address}`)
  }
  return [...rules, 'MAP * ~NOTFOUND'].join(',')
}
