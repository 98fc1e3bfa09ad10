import type { FieldProblem } from '../../domain/problem.ts'

export type Answer =
  /** `problems` of a stored field: what could not be checked. */
  | { done: 'saved'; version: number; at: string; problems?: FieldProblem[] }
  | { done: 'refused'; version: number; problems: FieldProblem[] }
  | { done: 'conflict'; version: number; at: string }
  | { done: 'failed'; why: string }

/**
 * The timeout of one save (milliseconds), and the most characters that a browser sends for a page
 * that is being left.
 */
const timeout = 15_000,
  keptAlive = 60_000

const signature = 'savedBy'
/**
 * Writes into the form who sends it, so that the server can order this save among those before and
 * after it.
 */
export function sign(form: HTMLFormElement, savedBy: string): void {
  const known = form.elements.namedItem(signature)
  const field =
    known instanceof HTMLInputElement
      ? known
      : form.appendChild(
          Object.assign(document.createElement('input'), { type: 'hidden', name: signature }),
        )
  field.value = savedBy
}

/** The field in which undo and redo send what the server must restore (edit-watch.ts). */
const restoreField = 'restore'

/**
 * The form's fields as they are sent, without those that nobody types in: the version, the sender
 * and what is restored.
 */
function fieldsOf(form: HTMLFormElement): string {
  const data = new FormData(form)
  for (const name of ['version', signature, restoreField]) data.delete(name)
  return new URLSearchParams(
    [...data].filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  ).toString()
}

/**
 * The fields as the page was loaded. What was typed before the script started is not stored yet
 * either.
 */
function drawnFields(form: HTMLFormElement): string {
  const drawn = form.cloneNode(true) as HTMLFormElement
  // Outside the document, an input that belongs to another form counts as one of this form.
  for (const other of drawn.querySelectorAll('[form]')) other.remove()
  drawn.reset()
  return fieldsOf(drawn)
}

/** Whether the fields are too long for a browser to send them while the page is being left. */
export const isTooLongToKeep = (fields: string): boolean => fields.length >= keptAlive

/**
 * Tracks which fields of a form are stored. `isSent`: a save was sent because the page is being
 * left or hidden.
 */
export function dirtyState(form: HTMLFormElement) {
  let known = drawnFields(form)
  return {
    isSent: false,
    now: () => fieldsOf(form),
    isDirty: () => fieldsOf(form) !== known,
    stored: (sent: string) => {
      known = sent
    },
    // The same fields, sent again, would be refused again.
    refused: (sent: string) => {
      known = sent
    },
  }
}

/** A name for this page, different from all other pages that save the same draft. */
export const pageName = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

/**
 * One save of a form's fields. `version`: the draft's version that they were drawn from. `savedBy`:
 * the page, and the number of its save.
 */
export type Save = { action: string; fields: string; version: string; savedBy: string }
export const saveOf = (form: HTMLFormElement, fields: string, savedBy: string): Save => ({
  action: form.action,
  fields,
  version: versionField(form).value,
  savedBy,
})
export const versionField = (form: HTMLFormElement): HTMLInputElement =>
  form.elements.namedItem('version') as HTMLInputElement

/**
 * Posts the fields as the form itself would. Resolves to the server's answer, or to `failed` with
 * the reason; it never rejects.
 */
export async function post(
  { action, fields, version, savedBy }: Save,
  isLeaving: boolean,
): Promise<Answer> {
  try {
    const response = await fetch(action, {
      method: 'POST',
      body: new URLSearchParams(
        `${fields}&version=${version}&${signature}=${savedBy}&act=autosave`,
      ),
      keepalive: isLeaving && !isTooLongToKeep(fields),
      headers: { 'hx-request': 'true' },
      signal: AbortSignal.timeout(timeout),
    })
    if (response.headers.has('hx-redirect') || response.redirected)
      return { done: 'failed', why: 'you are signed out. Open Twinshelf in another tab, then' }
    if (response.status === 404)
      return { done: 'failed', why: 'this draft is gone: it was launched or deleted elsewhere.' }
    if (!response.ok || !response.headers.get('content-type')?.startsWith('application/json'))
      return { done: 'failed', why: 'Twinshelf does not answer as it should.' }
    return (await response.json()) as Answer
  } catch {
    return {
      done: 'failed',
      why: navigator.onLine ? 'Twinshelf cannot be reached.' : 'you are offline.',
    }
  }
}

/**
 * Shows messages at their fields and removes messages that are no longer true. The focus stays
 * where it is. Islands of the form get the messages by an event.
 */
export function tell(form: HTMLFormElement, problems: readonly FieldProblem[]): void {
  document.dispatchEvent(
    new CustomEvent('draft:problems', {
      detail: Object.fromEntries(problems.map(({ field, message }) => [field, message])),
    }),
  )
  const outside = (element: Element) => !element.closest('[data-island]')
  for (const message of form.querySelectorAll('[data-field] .field-error'))
    if (outside(message)) message.remove()
  for (const control of form.querySelectorAll('[data-field] [aria-invalid]')) {
    if (!outside(control)) continue
    control.removeAttribute('aria-invalid')
    describe(control, control.id, false)
  }
  for (const { field, message } of problems) {
    const place = [field, field.split('.')[0]!]
      .map(name => form.querySelector(`[data-field="${CSS.escape(name)}"]`))
      .find(found => found && outside(found))
    if (!place || place.querySelector('.field-error')) continue
    const words = document.createElement('span')
    words.className = 'field-error'
    words.id = `${field.replaceAll('.', '-')}-problem`
    words.textContent = message
    const help = place.querySelector(':scope > .field-help')
    if (help) help.before(words)
    else place.append(words)
    for (const control of place.querySelectorAll('input:not([type=hidden]), textarea, select')) {
      control.setAttribute('aria-invalid', 'true')
      describe(control, words.id.replace(/-problem$/, ''), true)
    }
  }
}

function describe(control: Element, id: string, isWrong: boolean): void {
  const words = (control.getAttribute('aria-describedby') ?? '')
    .split(' ')
    .filter(name => name && name !== `${id}-problem`)
  if (isWrong) words.unshift(`${id}-problem`)
  if (words.length > 0) control.setAttribute('aria-describedby', words.join(' '))
  else control.removeAttribute('aria-describedby')
}

let refreshes = 0,
  newest = 0
/**
 * Fetches the page again and redraws the parts that describe the stored draft (`data-fresh`). A
 * part that has the focus is left for the next time.
 */
export async function refresh(form: HTMLFormElement): Promise<void> {
  const mine = ++refreshes
  const response = await fetch(form.action, {
    headers: {
      'hx-request': 'true',
      'hx-request-type': 'partial',
      'hx-current-url': location.href,
    },
  }).catch(() => null)
  if (response?.status !== 200 || !form.isConnected) return
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
  // A slow answer may be older than one that arrived before it.
  if (mine < newest) return
  newest = mine
  for (const old of form.querySelectorAll('[data-fresh][id]')) {
    const now = fresh.getElementById(old.id)
    if (now && now.outerHTML !== old.outerHTML && !old.contains(document.activeElement))
      old.replaceWith(document.importNode(now, true))
  }
}

type Heard = {
  touched: () => void
  leave: () => void
  mustAsk: () => boolean
  seen: () => void
  submitted: (event: SubmitEvent) => void
  online: () => void
}

/**
 * Listens to everything that makes a save necessary. `mustAsk`: whether the browser asks before the
 * page is left. Returns a function that stops listening.
 */
export function notify(
  form: HTMLFormElement,
  { touched, leave, mustAsk, seen, submitted, online }: Heard,
): () => void {
  const ending = new AbortController(),
    { signal } = ending
  form.addEventListener('input', touched, { signal })
  form.addEventListener('change', touched, { signal })
  // Islands also write fields when nobody types: after one of their buttons, or after a pick on the
  // shop's own page.
  const later = () => setTimeout(touched, 50)
  form.addEventListener('click', later, { signal })
  form.addEventListener('keyup', later, { signal })
  addEventListener('message', later, { signal })
  form.addEventListener('draft:touched', touched, { signal })
  form.addEventListener('submit', submitted, { signal })
  // Save before the browser requests the next page, which would otherwise show the old state.
  addEventListener(
    'beforeunload',
    event => {
      leave()
      if (mustAsk()) event.preventDefault()
    },
    { signal },
  )
  addEventListener('pagehide', leave, { signal })
  document.addEventListener('visibilitychange', seen, { signal })
  addEventListener('online', online, { signal })
  for (const button of form.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false
    button.addEventListener(
      'click',
      () => {
        void navigator.clipboard
          .writeText((form.elements.namedItem(button.dataset.copy!) as HTMLTextAreaElement).value)
          .then(() => {
            button.textContent = 'Copied'
          })
      },
      { signal },
    )
  }
  return () => ending.abort()
}
