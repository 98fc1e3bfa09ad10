import { released, watchPress } from './press.ts'
import { type Control, isTouched } from './touched.ts'

type Context = {
  target: HTMLElement
  fetch: typeof fetch
  request: { method: string; action: string; signal: AbortSignal }
  response?: { status: number }
}
const contextOf = (event: Event) => (event as CustomEvent<{ ctx: Context }>).detail.ctx

const waits = new WeakMap<Context, ReturnType<typeof setTimeout>>()

/**
 * Controls how htmx replaces parts of a page. A part that takes longer than `timeout` milliseconds
 * shows that it is loading. Instead of a part that cannot be loaded, the whole page is loaded.
 * Nothing is replaced while the pointer is pressed on it.
 */
export function watchSwaps(timeout: number): void {
  watchPress()
  document.addEventListener('htmx:before:request', event => {
    const ctx = contextOf(event),
      {
        target,
        request: { signal },
        fetch: ask,
      } = ctx
    waits.set(
      ctx,
      setTimeout(() => {
        target.classList.add('content-waiting')
        target.setAttribute('aria-busy', 'true')
      }, timeout),
    )
    ctx.fetch = async (...asked) => {
      const answer = await ask(...asked),
        text = await answer.text()
      await released(target)
      // Another request may have replaced this one meanwhile.
      signal.throwIfAborted()
      return Object.assign(answer, { text: async () => text })
    }
  })
  document.addEventListener('htmx:finally:request', event => {
    const ctx = contextOf(event),
      { target } = ctx
    clearTimeout(waits.get(ctx))
    target.classList.remove('content-waiting')
    target.removeAttribute('aria-busy')
  })

  // Instead of a part that cannot be loaded, the whole page is loaded, and says what is wrong.
  document.addEventListener('htmx:before:response', event => {
    const { request, response } = contextOf(event)
    if (request.method !== 'GET' || !response || response.status < 400) return
    event.preventDefault()
    if (!isLeaving) location.href = request.action
  })
  document.addEventListener('htmx:error', event => {
    const { request } = contextOf(event)
    if (request.method === 'GET' && !isLeaving) location.href = request.action
  })
  watchLeaving()
  // htmx hears no events before it has started.
  document.addEventListener('htmx:after:process', tellEarlier, { once: true })
}

/** The page is being left. Its requests may fail because of that, and must not lead back to it. */
let isLeaving = false
function watchLeaving(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  addEventListener('beforeunload', () => {
    isLeaving = true
    clearTimeout(timer)
    // A download does not leave the page.
    timer = setTimeout(() => {
      isLeaving = false
    }, 30_000)
  })
  addEventListener('pageshow', () => {
    isLeaving = false
  })
}

/**
 * Repeats the events for what was typed and chosen while the page's scripts were still loading;
 * otherwise parts of the page would not follow.
 */
function tellEarlier(): void {
  for (const control of document.querySelectorAll<Control>('input, select, textarea')) {
    if (!control.closest('[hx-trigger]') || !isTouched(control)) continue
    for (const type of ['input', 'change'])
      control.dispatchEvent(new Event(type, { bubbles: true }))
  }
}
