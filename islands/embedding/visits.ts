import { isDownload, linkIn, withLink } from '../../domain/embedding/download-path.ts'
import { isPage } from '../../domain/embedding/page-session.ts'
import { guardEditor } from '../drafts/early-leave.ts'
import { toastEvent } from '../page/toasts.ts'
import {
  addScripts,
  copyRoot,
  dropStyles,
  loadStyles,
  ownScriptRun,
  parsed,
  prepare,
} from './document.ts'
import { isOurs } from './requests.ts'

type Context = {
  /** Set for a whole page; htmx fills in the rest. */
  visit?: true
  fresh?: Document
  target: Element | null
  fetch?: typeof fetch
  request: { method: string; headers: Record<string, string> }
}
type Htmx = { ajax: (method: string, path: string, options: object) => Promise<void> }
type History = { history: { type: 'push' | 'replace'; path: string } }

const contextOf = (event: Event) => (event as CustomEvent<{ ctx: Context }>).detail.ctx
const listen = (name: string, hear: (event: Event, ctx: Context) => void) =>
  document.addEventListener(name, event => hear(event, contextOf(event)))

/**
 * Navigation inside one document, for a page that holds its session itself: links and forms of the
 * app become requests of htmx, which send the session and put the next page in the place of this
 * one (decision 075). What the views leave to htmx anyway stays as it is. Call it before the
 * page's own script runs.
 */
export function watchVisits(nonce: string, link: string): void {
  // On `window`, after everything on the page that does something else with the event.
  addEventListener('click', event => clicked(event, link))
  addEventListener('submit', submitted)
  // Back and Forward cannot be refused. What is typed is saved before htmx asks for the page.
  addEventListener('popstate', () => void tellLeaving())
  // This code is here already, while that of the islands may still be on its way.
  document.addEventListener('page:arrived', guardEditor)

  listen('htmx:config:request', (_, ctx) => {
    const { headers } = ctx.request
    if (headers['HX-History-Restore-Request']) ctx.visit = true
    if (!ctx.visit) return
    // The server must answer as it answers a browser that loads a page.
    const from = headers['HX-Current-URL']
    ctx.request.headers = { Accept: 'text/html', ...(from && { 'HX-Current-URL': from }) }
  })
  listen('htmx:before:request', (_, ctx) => {
    if (!ctx.visit) return
    // htmx adds this one after the event above.
    delete ctx.request.headers['HX-Request-Type']
    const ask = ctx.fetch ?? fetch
    ctx.fetch = async (...asked) => {
      const answer = await ask(...asked),
        type = answer.headers.get('content-type')
      // An answer without a type has no content, because the browser goes to another site.
      if (type !== null && !isPage(type)) throw new TypeError('This is no page.')
      const text = await answer.text()
      ctx.fresh = parsed(text)
      await loadStyles(ctx.fresh)
      return Object.assign(answer, { text: async () => text })
    }
  })
  // An error page is a page, too: otherwise the document would be loaded again for it.
  listen('htmx:before:response', (event, { visit }) => {
    if (visit) event.stopImmediatePropagation()
  })
  document.addEventListener('htmx:before:swap', event => {
    const { tasks } = (event as CustomEvent<{ tasks: { fragment: DocumentFragment }[] }>).detail
    for (const { fragment } of tasks) prepare(fragment)
  })
  document.addEventListener('htmx:before:history:update', event => {
    // As in a browser, the same address again is no new entry.
    const { history } = (event as CustomEvent<History>).detail
    if (history.path === location.pathname + location.search) history.type = 'replace'
  })
  listen('htmx:after:swap', (_, { visit, fresh }) => {
    if (!visit || !fresh) return
    copyRoot(fresh)
    dropStyles(fresh)
    addScripts(fresh, nonce)
    document.dispatchEvent(new Event('page:arrived'))
  })
  listen('htmx:error', (_, ctx) => {
    if (ctx?.visit && ctx.request.method !== 'GET')
      say('Twinshelf cannot be reached. Check your connection, then try again.')
  })
}

const say = (text: string) =>
  document.dispatchEvent(new CustomEvent(toastEvent, { detail: { text, tone: 'bad' } }))

function clicked(event: MouseEvent, link: string): void {
  const { target, button, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event
  if (defaultPrevented || button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return
  const anchor = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null
  if (!anchor || !['', '_self'].includes(anchor.target)) return
  const url = new URL(anchor.href)
  if (!isOurs(url) || linkIn(pathOf(url))) return
  if (url.hash && pathOf(url) === location.pathname + location.search) return
  event.preventDefault()
  if (isDownload(url.pathname)) void download(url, link)
  else visit('GET', pathOf(url) + url.hash, anchor)
}

function submitted(event: SubmitEvent): void {
  if (event.defaultPrevented) return
  const form = event.target as HTMLFormElement,
    { submitter } = event
  const said = (name: string) =>
    submitter?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? ''
  const method = (said('method') || 'get').toUpperCase(),
    url = new URL(said('action'), location.href)
  if (method === 'DIALOG' || !['', '_self'].includes(said('target')) || !isOurs(url)) return
  event.preventDefault()
  visit(method, pathOf(url), form, event)
}

const pathOf = ({ pathname, search }: URL) => pathname + search

function visit(method: string, path: string, source: HTMLElement, event?: SubmitEvent): void {
  if (!mayLeave()) return
  const go = () =>
    (window as unknown as { htmx: Htmx }).htmx.ajax(method, path, {
      source,
      event,
      visit: true,
      target: document.body,
      select: null,
      swap: 'outerSync show:top',
      push: 'true',
      replace: null,
      confirm: null,
    })
  void ownScriptRun().then(go)
}

const mayLeave = (): boolean =>
  tellLeaving() || confirm('Changes that you made may not be saved. Leave this page?')

/**
 * Tells those who listen that the page is being left, so that they save what they save then.
 * Returns whether all of them let it go.
 */
function tellLeaving(): boolean {
  const isFree = dispatchEvent(new Event('beforeunload', { cancelable: true }))
  // The document stays, as after a Back to it.
  dispatchEvent(new Event('pageshow'))
  return isFree
}

/** Downloads a file by a link for one use: a download sends no session (decision 076). */
async function download(url: URL, link: string): Promise<void> {
  try {
    const answer = await fetch(link, {
      method: 'POST',
      body: new URLSearchParams({ path: pathOf(url) }),
      headers: { 'hx-request': 'true' },
    })
    if (!answer.ok) throw new Error(`${answer.status}`)
    const made = (await answer.json()) as { link: string },
      anchor = document.createElement('a')
    anchor.href = withLink(pathOf(url), made.link)
    anchor.download = ''
    document.body.append(anchor)
    anchor.click()
    anchor.remove()
  } catch {
    say('The file could not be downloaded. Try again in a moment.')
  }
}
