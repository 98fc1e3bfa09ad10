import type { FieldProblem } from '../../domain/problem.ts'

export type Answer =
  | { done: 'saved'; version: number; at: string }
  | { done: 'refused'; version: number; problems: FieldProblem[] }
  | { done: 'conflict'; version: number; at: string }
  | { done: 'failed'; why: string }

/** Longest that one save may take, and the most that a browser sends of a page that is being left. */
const timeout = 15_000,
  keptAlive = 60_000

const signature = 'savedBy'
/** Who sends the form itself, for those saves that go before and after it. */
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

/** What undo and redo send for the server to put back (edit-watch.ts). */
const restoreField = 'restore'

/** The form's fields as they are sent; its version, who sends it and what is put back are no fields that anyone types. */
function fieldsOf(form: HTMLFormElement): string {
  const data = new FormData(form)
  for (const name of ['version', signature, restoreField]) data.delete(name)
  return new URLSearchParams(
    [...data].filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  ).toString()
}

/** The fields as the page came: what is typed before a script is there to hear it is stored no more than what is typed later. */
function drawnFields(form: HTMLFormElement): string {
  const drawn = form.cloneNode(true) as HTMLFormElement
  drawn.reset()
  return fieldsOf(drawn)
}

/** Of a page that is left no browser sends more than so much. */
export const isTooLongToKeep = (fields: string): boolean => fields.length >= keptAlive

/** What of a form is stored, and what is not yet. `isSent`: it is on its way by the page's leaving. */
export function dirtyState(form: HTMLFormElement) {
  let known = drawnFields(form)
  return {
    isSent: false,
    now: () => fieldsOf(form),
    isDirty: () => fieldsOf(form) !== known,
    stored: (sent: string) => {
      known = sent
    },
    // The same once more would be refused once more.
    refused: (sent: string) => {
      known = sent
    },
  }
}

/** Names this page among all that save the same draft. */
export const pageName = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

/** One save of a form's fields. `version`: of the draft that they were drawn from. `savedBy`: the page, and the number of its save. */
export type Save = { action: string; fields: string; version: string; savedBy: string }
export const saveOf = (form: HTMLFormElement, fields: string, savedBy: string): Save => ({
  action: form.action,
  fields,
  version: versionField(form).value,
  savedBy,
})
export const versionField = (form: HTMLFormElement): HTMLInputElement =>
  form.elements.namedItem('version') as HTMLInputElement

/** Posts the fields as the form itself would; the server answers with what came of it. */
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

const leftKey = (form: HTMLFormElement): string => `left.${new URL(form.action).pathname}`
/**
 * Notes the save that is sent as the page is left. The page that comes next may be drawn before the server has it, and
 * would show the older words: it takes the note and sends the same save again, which the server knows.
 */
export function noteLeft(form: HTMLFormElement, save: Save): void {
  try {
    sessionStorage.setItem(leftKey(form), JSON.stringify(save))
  } catch {
    /* A browser that keeps nothing shows what it was answered. */
  }
}
export function takeLeft(form: HTMLFormElement): Save | null {
  try {
    const note = sessionStorage.getItem(leftKey(form))
    sessionStorage.removeItem(leftKey(form))
    return JSON.parse(note ?? 'null') as Save | null
  } catch {
    return null
  }
}

/** Puts messages at their fields and takes away those that are no longer true. The focus stays where it is. Islands of the form hear them by an event. */
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
/** What the page says of the stored draft (`data-fresh`), drawn again. What is being used stays until the next time. */
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
  // An answer that is slow says what was.
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

/** Listens to all that a form has to be saved for; `mustAsk`: whether the browser asks before the page is left. Answers what ends it. */
export function notify(
  form: HTMLFormElement,
  { touched, leave, mustAsk, seen, submitted, online }: Heard,
): () => void {
  const ending = new AbortController(),
    { signal } = ending
  form.addEventListener('input', touched, { signal })
  form.addEventListener('change', touched, { signal })
  // Islands write fields that nobody types in: after a button of theirs, or a pick on the shop's own page.
  const later = () => setTimeout(touched, 50)
  form.addEventListener('click', later, { signal })
  form.addEventListener('keyup', later, { signal })
  addEventListener('message', later, { signal })
  form.addEventListener('draft:touched', touched, { signal })
  form.addEventListener('submit', submitted, { signal })
  // Before the page that comes next is asked for: otherwise it would show what stood there before.
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
