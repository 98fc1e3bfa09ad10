import { sessionHeaders, socketQuery } from '../../domain/embedding/page-session.ts'
import { paths } from '../../domain/paths.ts'
import type { PageSession } from './page-session.ts'

/** The app's own pages and files, except the built ones, which everybody may have. */
export const isOurs = ({ origin, pathname }: URL): boolean =>
  origin === location.origin && !pathname.startsWith('/built/')

/** How many redirects in a row are followed, and the cookies that the page remembers. */
const maxRedirects = 8
const kept = new Map<string, string>()

/**
 * Gives every request of this page to the app the session that the page holds: those of htmx, of
 * islands, uploads, and the WebSocket. It is done here, beneath them, so that none can be
 * forgotten, and pages that have cookies load nothing for it.
 */
export function sendWithSession(session: PageSession): void {
  window.fetch = fetchWith(session, window.fetch.bind(window))
  uploadWith(session)
  window.WebSocket = socketWith(session)
}

/** Calls at once when the token is fresh: while a page is being left nothing can wait. */
const withToken = <T>({ fresh, renew }: PageSession, use: (token: string) => T | Promise<T>) => {
  const token = fresh()
  return token === null ? renew().then(use) : use(token)
}

function fetchWith(session: PageSession, send: typeof fetch): typeof fetch {
  const ask = async (
    input: RequestInfo | URL,
    init: RequestInit,
    token: string,
    redirects: number,
    isAgain = false,
  ): Promise<Response> => {
    const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : {}))
    headers.set('authorization', `Bearer ${token}`)
    if (kept.size > 0) headers.set(sessionHeaders.kept, new URLSearchParams([...kept]).toString())
    const own = input instanceof Request && !isAgain ? input.clone() : input
    const answer = await send(own, { ...init, headers, credentials: 'omit' })
    remember(answer)
    if (answer.headers.has(sessionHeaders.ended) && !isAgain)
      return ask(input, init, await session.renew(), redirects, true)
    const to = answer.headers.get(sessionHeaders.location)
    if (to === null || init.redirect === 'manual') return answer
    return follow(new URL(to, answer.url), init, answer, redirects + 1)
  }
  function follow(
    to: URL,
    { signal, headers: asked }: RequestInit,
    answer: Response,
    redirects: number,
  ): Promise<Response> | Response {
    if (redirects > maxRedirects) throw new TypeError('This page redirects in a circle.')
    if (!isOurs(to)) {
      location.assign(to)
      return answer
    }
    const headers = new Headers(asked)
    headers.delete('content-type')
    return withToken(session, token =>
      ask(to.href, { headers, ...(signal && { signal }) }, token, redirects),
    )
  }
  return (input, init = {}) =>
    isOurs(new URL(input instanceof Request ? input.url : input, location.href))
      ? Promise.resolve(withToken(session, token => ask(input, init, token, 0)))
      : send(input, init)
}

function remember({ headers }: Response): void {
  for (const [name, value] of new URLSearchParams(headers.get(sessionHeaders.keep) ?? ''))
    if (value) kept.set(name, value)
    else kept.delete(name)
}

/** Uploads report their progress, which fetch does not. */
function uploadWith(session: PageSession): void {
  const proto = XMLHttpRequest.prototype,
    { open, send } = proto as {
      open: (this: XMLHttpRequest, ...given: unknown[]) => void
      send: (this: XMLHttpRequest, body?: unknown) => void
    }
  const addresses = new WeakMap<XMLHttpRequest, URL>()
  proto.open = function (
    this: XMLHttpRequest,
    method: string,
    url: string | URL,
    ...more: unknown[]
  ) {
    addresses.set(this, new URL(url, location.href))
    open.call(this, method, url, ...more)
  } as typeof proto.open
  proto.send = function (this: XMLHttpRequest, body?: unknown) {
    const url = addresses.get(this)
    if (!url || !isOurs(url)) return send.call(this, body)
    Promise.resolve(
      withToken(session, token => {
        this.setRequestHeader('authorization', `Bearer ${token}`)
        send.call(this, body)
      }),
    ).catch(() => this.dispatchEvent(new ProgressEvent('error')))
  } as typeof proto.send
}

/** A WebSocket has no headers, so the token is its first message. It never is in the address. */
function socketWith(session: PageSession): typeof WebSocket {
  let live: WebSocket | null = null
  // The WebSocket's address names the job that the page watches, so it must be opened again.
  document.addEventListener('page:arrived', () => {
    if (document.querySelector('[data-live-job]')) live?.close()
  })
  return new Proxy(window.WebSocket, {
    construct(own, [address, protocols]: [string | URL, (string | string[])?]) {
      const url = new URL(address, location.href),
        isLive = url.host === location.host && url.pathname === paths.live()
      if (isLive) url.searchParams.set(socketQuery.name, socketQuery.value)
      const socket = new own(url, protocols)
      if (!isLive) return socket
      live = socket
      socket.addEventListener('open', () => {
        const introduce = (token: string) => socket.send(JSON.stringify({ token }))
        Promise.resolve(withToken(session, introduce)).catch(() => socket.close())
      })
      return socket
    },
  })
}
