import type { Browser, BrowserContextOptions, Request } from '@playwright/test'
import { watchRequests } from '../../quiet-network.ts'

/** What the first load of a page has fetched from the app, before anybody did anything on it. */
export type FirstLoad = {
  bytes: number
  /** Its scripts by the names of their sources, in alphabetical order. Chunks have none. */
  scripts: string[]
  /** Its scripts that the document did not name, so that they came later than the others. */
  unnamed: string[]
  /** Everything with its size, for messages. */
  files: string
}

/** Loaded some seconds after everything else (islands/page.ts), by when a slow page is not idle. */
const isLate = (path: string): boolean => path.startsWith('/built/live-figures-')

/** Opens a page in a new context, because a first load has no cached files. */
export async function firstLoad(
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
): Promise<FirstLoad> {
  const context = await browser.newContext(options)
  const page = await context.newPage(),
    requests = watchRequests(page)
  const loading: Promise<{ url: string; bytes: number }>[] = []
  const sized = async (request: Request) => ({
    url: new URL(request.url()).pathname,
    bytes: (await request.sizes()).responseBodySize,
  })
  page.on('requestfinished', request => {
    if (request.url().startsWith(new URL(url).origin)) loading.push(sized(request))
  })
  await page.goto(url)
  // Some scripts are asked for once the page is painted.
  await page.waitForFunction(
    () => performance.getEntriesByName('first-contentful-paint').length > 0,
  )
  await requests.quiet()
  const loaded = (await Promise.all(loading)).filter(({ url }) => !isLate(url))
  const named = await page
    .locator('script[src]')
    .evaluateAll((scripts: HTMLScriptElement[]) =>
      scripts.flatMap(({ src, dataset }) => [
        new URL(src).pathname,
        ...(dataset['code'] ?? '').split(' '),
      ]),
    )
  await context.close()
  const urls = loaded.map(({ url }) => url)
  return {
    bytes: loaded.reduce((sum, { bytes }) => sum + bytes, 0),
    scripts: namesOf(urls),
    unnamed: namesOf(urls.filter(url => !named.includes(url))),
    files: JSON.stringify(loaded),
  }
}

const namesOf = (urls: string[]): string[] =>
  urls.flatMap(url => /^\/built\/(?!chunk-)(.*)-[\w-]{8}\.js$/.exec(url)?.[1] ?? []).toSorted()
