import type { Browser, Page } from 'puppeteer-core'
import type { PageVisit } from '../../domain/tests/launch-visit.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { type PageAsk, watchStatus, withPage } from './chromium-page.ts'

/** What a browser sees of one page, with the page's text (at most `textLength` characters). */
export type PageLook = Omit<PageVisit, 'path' | 'arm' | 'amounts'> & { text: string }
const maxErrors = 20,
  errorLength = 300,
  textLength = 200_000,
  maxLooks = 20

/**
 * Records the hypothesis ids that the shop's code passes to `twinshelf.isActive`, whichever script
 * defines `twinshelf`.
 */
const listenToShop = `(() => {
  const asked = []
  let shown
  Object.defineProperty(window, '__twinshelfAsked', { value: asked })
  Object.defineProperty(window, 'twinshelf', {
    configurable: true,
    get: () => shown,
    set: real => {
      shown = real && typeof real === 'object' ? new Proxy(real, { get: (target, key) => {
        const own = target[key]
        return key === 'isActive' ? id => { asked[asked.length] = String(id); return own ? own.call(target, id) : false } : own
      } }) : real
    },
  })
})()`

const see = (selectors: readonly string[]): string => `(() => {
  const found = {}, looks = {}
  // Finish animations, or cancel endless ones: halfway through, two equal arms would differ.
  for (const animation of document.getAnimations()) try { animation.finish() } catch { animation.cancel() }
  const sum = text => { let hash = 0; for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0; return text.length + ':' + hash }
  // The parent's content shows what was inserted or moved. Of the styles only the computed result
  // counts.
  // Sorted, because a page's own custom properties come in another order in each process of the
  // browser.
  const styleOf = style => [...style].sort().map(name => style.getPropertyValue(name)).join(';')
  const lookOf = element => (element.outerHTML + (element.parentElement?.innerHTML ?? '')).replace(/ style="[^"]*"/g, '') + styleOf(getComputedStyle(element))
  for (const selector of ${JSON.stringify(selectors)}) try {
    const all = [...document.querySelectorAll(selector)]
    found[selector] = all.length
    looks[selector] = sum(all.slice(0, ${maxLooks}).map(lookOf).join(' '))
  } catch { found[selector] = -1 }
  const says = name => document.querySelector('script[data-' + name + ']')?.getAttribute('data-' + name) ?? ''
  const hasPreview = Boolean(document.querySelector('twinshelf-preview'))
  return JSON.stringify({
    found, looks, hasPreview, template: says('template'), theme: says('theme'), end: location.pathname + location.search,
    text: (document.body?.innerText ?? '').slice(0, ${textLength}),
  })
})()`

export async function seePage(
  browser: Browser,
  ask: PageAsk,
  selectors: readonly string[],
): Promise<PageLook> {
  const errors = new Set<string>()
  let status = (): number | null => null
  const add = (text: string) => {
    const [line = ''] = text.split('\n')
    if (line && !isOurs(line) && errors.size < maxErrors)
      errors.add(withoutQueries(line.slice(0, 10 * errorLength)).slice(0, errorLength))
  }
  const prepare = async (page: Page): Promise<void> => {
    status = watchStatus(page)
    page.on('pageerror', error => add(String(error)))
    // A message without arguments comes from the browser itself, for example about a blocked
    // response.
    page.on('console', message => {
      if (message.type() === 'error' && message.args().length > 0) add(message.text())
    })
    await page.evaluateOnNewDocument(listenToShop)
  }
  try {
    return await withPage(
      browser,
      ask,
      async ({ page, inside }) => {
        const seen = JSON.parse(String(await inside(see(selectors)))) as Omit<
          PageLook,
          'status' | 'errors' | 'asked'
        >
        return { ...seen, asked: await askedOf(page), status: status(), errors: [...errors] }
      },
      prepare,
    )
  } catch (error) {
    // A page that does not open (502) is a result. If the browser ended, there is no result, so
    // that error is thrown.
    if (error instanceof HttpProblem && error.status === 502) return nothing
    throw error
  }
}

/**
 * The hypothesis ids that the page asked for. The page can put anything there, so we accept only a
 * list of short texts.
 */
async function askedOf(page: Page): Promise<string[]> {
  const asked: unknown = await page
    .evaluate(
      'Array.isArray(window.__twinshelfAsked) ? window.__twinshelfAsked.slice(0, 1000) : []',
    )
    .catch(() => [])
  const texts = Array.isArray(asked)
    ? asked.filter((id): id is string => typeof id === 'string' && id.length <= 100)
    : []
  return [...new Set(texts)].slice(0, 50)
}

const nothing: PageLook = {
  status: null,
  end: '',
  hasPreview: false,
  template: '',
  theme: '',
  errors: [],
  found: {},
  looks: {},
  text: '',
  asked: [],
}
/**
 * True for errors that we cause ourselves: the page may send nothing and reach no other host, so
 * those requests fail.
 */
const isOurs = (text: string): boolean =>
  /Failed to fetch|Load failed|NetworkError|ERR_BLOCKED/.test(text)
/** Removes queries, because a preview's address carries its token. */
const withoutQueries = (text: string): string => text.replace(/\?[^\s"')]*/g, '')
