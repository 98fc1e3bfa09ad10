import type { Browser, Page } from 'puppeteer-core'
import type { PageVisit } from '../../domain/tests/launch-visit.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { type PageAsk, watchStatus, withPage } from './chromium-page.ts'

/** What a browser sees of one page, and its whole text. */
export type PageLook = Omit<PageVisit, 'path' | 'arm' | 'amounts'> & { text: string }
const maxErrors = 20,
  errorLength = 300,
  textLength = 200_000,
  maxLooks = 20

/** Hears which hypotheses the shop's code asks for, whatever script answers it. */
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
  // Halfway through a transition two equal arms would differ: it is over at once, and what never ends is taken away.
  for (const animation of document.getAnimations()) try { animation.finish() } catch { animation.cancel() }
  const sum = text => { let hash = 0; for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0; return text.length + ':' + hash }
  // What stands beside it tells what was inserted or moved; of styles only what comes of them counts.
  // Sorted: a page's own custom properties come in another order in each process of the browser.
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
    // What has no arguments is the browser's own: an answer that was refused, say.
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
    // A page that does not open is something that was seen; a browser that is gone is not.
    if (error instanceof HttpProblem && error.status === 502) return nothing
    throw error
  }
}

/** The page's own word, in its own world: whatever it is, it is read as a list of short texts. */
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
/** We let the page send nothing and go nowhere else: what fails for that is none of its own. */
const isOurs = (text: string): boolean =>
  /Failed to fetch|Load failed|NetworkError|ERR_BLOCKED/.test(text)
/** A preview's address carries its token. */
const withoutQueries = (text: string): string => text.replace(/\?[^\s"')]*/g, '')
