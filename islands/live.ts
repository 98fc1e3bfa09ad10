import { waitAfter } from '../domain/backoff.ts'
import type { LiveMessage } from '../domain/job.ts'

/** A server that is away for long is not asked by every open page all the time. */
const patience = { firstWait: 500, longestWait: 30_000 }
/** Many files of a theme are told of one by one: all of them are one look at the store. Milliseconds. */
const gathered = 300

/**
 * What happens in the store while its page is open, told over one WebSocket: the document gets `live:job` with the job,
 * and `live:themes`. Nothing on a page needs it, and a page of no store has none.
 */
export function watchLive(): void {
  const path = document.querySelector<HTMLElement>('[data-live]')?.dataset.live
  if (!path || !('WebSocket' in window)) return
  listen(path)
  document.addEventListener('live:themes', refreshSoon)
}

function listen(path: string, failures = 0): void {
  const url = new URL(path, location.href.replace(/^http/, 'ws'))
  const shop = new URLSearchParams(location.search).get('shop'), job = document.querySelector<HTMLElement>('[data-live-job]')?.dataset.liveJob
  if (shop) url.searchParams.set('shop', shop)
  if (job) url.searchParams.set('job', job)
  const socket = new WebSocket(url)
  socket.onopen = () => { failures = 0 }
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data as string) as LiveMessage
    document.dispatchEvent(new CustomEvent(`live:${message.type}`, { detail: message.type === 'job' ? message.job : null }))
  }
  socket.onclose = () => listenAgain(path, failures + 1)
}

/** A page that nobody looks at lets its session end; who comes back to it loads it anew. */
function listenAgain(path: string, failures: number): void {
  const isIdle = 'idle' in document.documentElement.dataset
  setTimeout(() => (isIdle ? listenAgain : listen)(path, failures), waitAfter(isIdle ? longIdle : failures, Math.random(), patience))
}
const longIdle = 30

let soon: ReturnType<typeof setTimeout> | undefined
function refreshSoon(): void {
  clearTimeout(soon)
  soon = setTimeout(() => void refresh(), gathered * (1 + Math.random()))
}

let refreshes = 0, newest = 0
/** The bar and the navigation as they are now. The content may be a half-filled form and stays. */
async function refresh(): Promise<void> {
  const { href } = location, mine = ++refreshes
  const response = await fetch(href, { headers: { 'hx-request': 'true', 'hx-request-type': 'partial', 'hx-current-url': href } }).catch(() => null)
  if (response?.status !== 200) return
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
  // An answer that is slow says what was, and of a page that was left meanwhile, where one is not.
  if (mine < newest) return
  newest = mine
  if (location.href !== href) return refreshSoon()
  for (const part of ['.topbar', '.sidenav']) {
    const old = document.querySelector(part), now = fresh.querySelector(part)
    if (!old || !now || old.outerHTML === now.outerHTML) continue
    // Nobody loses the place they are at.
    if (old.contains(document.activeElement)) old.addEventListener('focusout', refreshSoon, { once: true })
    else old.replaceWith(now)
  }
}
