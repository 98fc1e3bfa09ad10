import { waitAfter } from '../../domain/backoff.ts'
import type { LiveMessage } from '../../domain/jobs/job.ts'
import { withPart } from '../page/preload-error.ts'

/**
 * The waits grow, so that the open pages do not overload a server that is down for long.
 * Milliseconds.
 */
const timeout = { firstWait: 500, longestWait: 30_000 }

/**
 * Reports what happens in the store while its page is open, over one WebSocket: the document gets
 * the events `live:job`, with the job, and `live:themes`. Nothing on a page needs it, and a page
 * without a store does not open it.
 */
export function watchLive(): void {
  const path = document.querySelector<HTMLElement>('[data-live]')?.dataset.live
  if (!path || !('WebSocket' in window)) return
  listen(path)
  document.addEventListener('live:themes', () =>
    withPart('live-frame', import('./live-frame.ts'), ({ refreshSoon }) => refreshSoon()),
  )
}

function listen(path: string, failures = 0): void {
  const url = new URL(path, location.href.replace(/^http/, 'ws'))
  const shop = new URLSearchParams(location.search).get('shop'),
    job = document.querySelector<HTMLElement>('[data-live-job]')?.dataset.liveJob
  if (shop) url.searchParams.set('shop', shop)
  if (job) url.searchParams.set('job', job)
  const socket = new WebSocket(url)
  socket.onopen = () => {
    failures = 0
  }
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data as string) as LiveMessage
    document.dispatchEvent(
      new CustomEvent(`live:${message.type}`, {
        detail: message.type === 'job' ? message.job : null,
      }),
    )
  }
  socket.onclose = () => listenAgain(path, failures + 1)
}

/**
 * Connects again after a wait. An idle page does not connect, so that its session can end; when the
 * person comes back, the page is loaded again.
 */
function listenAgain(path: string, failures: number): void {
  const isIdle = 'idle' in document.documentElement.dataset
  setTimeout(
    () => (isIdle ? listenAgain : listen)(path, failures),
    waitAfter(isIdle ? longIdle : failures, Math.random(), timeout),
  )
}
const longIdle = 30
