import { released, watchPress } from './press.ts'

type Context = {
  sourceElement: HTMLElement
  target: HTMLElement
  fetch: typeof fetch
  request: { method: string; action: string; signal: AbortSignal }
  response?: { status: number }
}
const contextOf = (event: Event) => (event as CustomEvent<{ ctx: Context }>).detail.ctx

const underWay = new Set<Context>(),
  waits = new WeakMap<Context, ReturnType<typeof setTimeout>>()

/**
 * How parts of a page are replaced. One that is slow to come says so after `timeout` milliseconds; one that cannot be
 * had is asked for as a whole page; nothing is replaced under a finger. `data-decides` on what asks: until the answer is
 * there, what stands in the part is of the choice before, and cannot be acted on.
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
    underWay.add(ctx)
    holdBack(target)
    ctx.fetch = async (...asked) => {
      const answer = await ask(...asked),
        text = await answer.text()
      await released(target)
      // Another may have taken its place meanwhile.
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
    underWay.delete(ctx)
    holdBack(target)
  })

  // A part that cannot be had is asked for as a whole page, which says what is wrong.
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
  // Until htmx is there, it hears nothing.
  document.addEventListener('htmx:after:process', tellEarlier, { once: true })
}

/** The page is on its way to another. What it had asked for may fail by that, and must not lead back to where it belonged. */
let isLeaving = false
function watchLeaving(): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  addEventListener('beforeunload', () => {
    isLeaving = true
    clearTimeout(timer)
    // What is only downloaded leaves nothing.
    timer = setTimeout(() => {
      isLeaving = false
    }, 30_000)
  })
  addEventListener('pageshow', () => {
    isLeaving = false
  })
}

/** One that is replaced by another ends after that has begun. */
function holdBack(part: HTMLElement): void {
  part.inert = [...underWay].some(
    ({ target, sourceElement }) => target === part && 'decides' in sourceElement.dataset,
  )
}

/** What was typed and chosen in a page whose scripts were still on their way is told now: otherwise a part would stay as it was before. */
function tellEarlier(): void {
  for (const control of document.querySelectorAll<Control>('input, select, textarea')) {
    if (!control.closest('[hx-trigger]') || !isTouched(control)) continue
    for (const type of ['input', 'change'])
      control.dispatchEvent(new Event(type, { bubbles: true }))
  }
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement
function isTouched(control: Control): boolean {
  if (control instanceof HTMLSelectElement)
    return (
      [...control.options].some(option => option.defaultSelected) &&
      !control.selectedOptions[0]?.defaultSelected
    )
  if (control instanceof HTMLTextAreaElement) return control.value !== control.defaultValue
  // Of the radio buttons that changed, the one that is chosen now.
  if (control.type === 'radio') return control.checked && !control.defaultChecked
  return control.type === 'checkbox'
    ? control.checked !== control.defaultChecked
    : control.value !== control.defaultValue
}
