import type { Control } from './touched.ts'

/** What a person does first on a page: with any device, by voice, or by a password manager. */
const signs = ['pointermove', 'pointerdown', 'wheel', 'keydown', 'focusin', 'click', 'input']
const firstSign = new Promise<void>(resolve => {
  for (const sign of signs)
    addEventListener(sign, () => resolve(), { once: true, passive: true, capture: true })
})

/** Parameters, so that the script that every page loads stays one file. */
type Page = {
  isTouched: (control: Control) => boolean
  painted: Promise<void>
  /** Loads the islands' code and starts them. */
  boot: () => Promise<void>
  /** Reports a part that cannot be loaded. */
  raise: (what: string, cause: unknown) => void
}

/**
 * Starts the islands with `data-later` at the first sign of a person: the server has drawn all that
 * there is to see of them, and its forms work (decisions 065 and 098). What is pressed until they
 * are alive is pressed again then. Rejects when they cannot be started.
 */
export async function wakeLater({ isTouched, painted, boot, raise }: Page): Promise<void> {
  // Once a page is painted, this is all that an editor needs until somebody types.
  if (document.querySelector('#autosave:not([data-alive], [data-guarded])'))
    painted.then(guardEditor).catch((cause: unknown) => raise('Unable to load early-leave', cause))
  if (!isAwaited(isTouched)) await firstSign
  if (!document.querySelector('[data-island]:not([data-alive])')) return
  for (const island of document.querySelectorAll<HTMLElement>('[data-later]'))
    delete island.dataset['later']
  rememberActs().catch((cause: unknown) => raise('Unable to load edit-act', cause))
  const release = hold()
  await boot()
    .catch((error: unknown) => {
      askServer(isTouched)
      throw error
    })
    .finally(release)
}

const guardEditor = async (): Promise<void> =>
  (await import('../drafts/early-leave.ts')).guardEditor()

/** An act in the editor may come before the code of undo: this is small, and here earlier. */
async function rememberActs(): Promise<void> {
  const form = document.querySelector<HTMLFormElement>('form#draft')
  if (form && document.querySelector('#history:not([data-alive])'))
    (await import('../drafts/edit-act.ts')).rememberActs(form)
}

/** Whether somebody was here before this script, or this tab has kept something for the islands. */
function isAwaited(isTouched: Page['isTouched']): boolean {
  return (
    document.querySelector('[data-later]:is(:hover, :focus-within), #draft:focus-within') !==
      null ||
    isAny('[data-later], #draft', isTouched) ||
    (document.getElementById('draft') !== null && hasKept())
  )
}

/** What an editor keeps in the tab: a save of the page before, and what can be undone. */
function hasKept(): boolean {
  try {
    return Object.keys(sessionStorage).some(key => /^(left|edits)\./.test(key))
  } catch {
    return Object.keys(window.draftsLeft ?? {}).length > 0
  }
}

/** Whether one of the fields in these elements has another value than the server drew. */
const isAny = (within: string, isTouched: Page['isTouched']): boolean =>
  [...document.querySelectorAll(within)].some(element =>
    [...element.querySelectorAll<Control>('input:not([type=hidden]), select, textarea')].some(
      isTouched,
    ),
  )

/** Buttons that only an island hears, and links that one follows in its own way. */
const heard = '[data-island]:not([data-alive]) button[type=button], a[data-download]'
/**
 * Keeps presses of such controls until the islands are alive, and presses the controls then; or
 * when they cannot be started, which leaves the links to the browser.
 */
function hold(): () => void {
  const pressed: HTMLElement[] = []
  const keep = (event: MouseEvent): void => {
    const control = (event.target as Element).closest<HTMLElement>(heard)
    const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
    if (!control || !isPlain || event.button !== 0) return
    if (control.matches('a') && document.querySelector('#downloads:not([data-alive])') === null)
      return
    event.preventDefault()
    event.stopPropagation()
    pressed.push(control)
  }
  addEventListener('click', keep, true)
  return () => {
    removeEventListener('click', keep, true)
    for (const control of pressed) if (control.isConnected) control.click()
  }
}

/** A form of an island that only asks for another view asks the server, as without scripts. */
function askServer(isTouched: Page['isTouched']): void {
  const forms = '[data-island]:not([data-alive]) form:not([method])'
  for (const form of document.querySelectorAll<HTMLFormElement>(forms)) {
    form.onchange = () => form.requestSubmit()
    if (isAny(forms, isTouched)) form.requestSubmit()
  }
}
