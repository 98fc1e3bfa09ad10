import type { PageVisit } from '../domain/launch-visit.ts'
import { HttpProblem } from '../domain/problem.ts'
import { type OpenPage, type PageAsk, watchStatus, withPage } from './chromium-page.ts'
import type { Devtools } from './chromium-pipe.ts'

/** What a browser sees of one page, and its whole text. */
export type PageLook = Omit<PageVisit, 'path' | 'arm' | 'amounts'> & { text: string }
const mostErrors = 20, errorLength = 300, textLength = 200_000, mostLooks = 20

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
        return key === 'isActive' ? id => { asked.push(String(id)); return own ? own.call(target, id) : false } : own
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
    looks[selector] = sum(all.slice(0, ${mostLooks}).map(lookOf).join(' '))
  } catch { found[selector] = -1 }
  const says = name => document.querySelector('script[data-' + name + ']')?.getAttribute('data-' + name) ?? ''
  const hasPreview = Boolean(document.querySelector('twinshelf-preview'))
  return JSON.stringify({
    found, looks, hasPreview, template: says('template'), theme: says('theme'), end: location.pathname + location.search,
    text: (document.body?.innerText ?? '').slice(0, ${textLength}), asked: [...new Set(window.__twinshelfAsked ?? [])].slice(0, 50),
  })
})()`

export async function seePage(devtools: Devtools, ask: PageAsk, selectors: readonly string[]): Promise<PageLook> {
  const errors = new Set<string>()
  let status = (): number | null => null
  const add = (text: unknown) => { if (typeof text === 'string' && text && !isOurs(text) && errors.size < mostErrors) errors.add(withoutQueries(text).slice(0, errorLength)) }
  const prepare = async (page: OpenPage): Promise<void> => {
    const { send, listen } = page
    status = await watchStatus(page)
    listen('Runtime.exceptionThrown', ({ exceptionDetails }) => {
      const { text, exception } = exceptionDetails as { text: string; exception?: { description?: string } }
      add(exception?.description?.split('\n')[0] ?? text)
    })
    listen('Runtime.consoleAPICalled', ({ type, args }) => {
      if (type === 'error') add((args as { value?: unknown; description?: string }[]).map(({ value, description }) => String(value ?? description ?? '')).join(' ').split('\n')[0])
    })
    await send('Runtime.enable')
    await send('Page.addScriptToEvaluateOnNewDocument', { source: listenToShop })
  }
  try {
    return await withPage(devtools, ask, async ({ send }) => {
      const { result } = await send('Runtime.evaluate', { expression: see(selectors) }) as { result: { value?: string } }
      const seen = JSON.parse(result.value ?? 'null') as Omit<PageLook, 'status' | 'errors'> | null
      return seen ? { ...seen, status: status(), errors: [...errors] } : nothing
    }, prepare)
  } catch (error) {
    // A page that does not open is something that was seen; a browser that is gone is not.
    if (error instanceof HttpProblem && error.status === 502) return nothing
    throw error
  }
}

const nothing: PageLook = { status: null, end: '', hasPreview: false, template: '', theme: '', errors: [], found: {}, looks: {}, text: '', asked: [] }
/** We let the page send nothing and go nowhere else: what fails for that is none of its own. */
const isOurs = (text: string): boolean => /Failed to fetch|Load failed|NetworkError|ERR_BLOCKED/.test(text)
/** A preview's address carries its token. */
const withoutQueries = (text: string): string => text.replace(/\?[^\s"')]*/g, '')
