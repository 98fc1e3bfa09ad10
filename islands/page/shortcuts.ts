/** Loaded with the first key that is pressed outside a field. */
type Shortcut = {
  keys: string[]
  what: string
  /** False when there is nothing on the page for it. */ isHere: () => boolean
  act: () => void
}

const link = (selector: string) => document.querySelector<HTMLAnchorElement>(selector)
const follow = (keys: string[], what: string, selector: string): Shortcut => ({
  keys,
  what,
  isHere: () => link(selector) !== null,
  act: () => link(selector)?.click(),
})
const rows = () => [...document.querySelectorAll<HTMLAnchorElement>('#rows .cell-link')]
const search = () => document.querySelector<HTMLInputElement>('.search-field > input')
const step = (by: 1 | -1) => () => {
  const all = rows(),
    at = all.findIndex(row => row.closest('tr')?.contains(document.activeElement))
  all[
    at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + by))
  ]?.focus()
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform),
  isEditor = () => document.querySelector('[data-undo]') !== null

const shortcuts: Shortcut[] = [
  follow(['c'], 'Create a test', '.sidenav > a.button'),
  { keys: ['/'], what: 'Search', isHere: () => search() !== null, act: () => search()?.focus() },
  { keys: ['j'], what: 'Next row', isHere: () => rows().length > 0, act: step(1) },
  { keys: ['k'], what: 'Previous row', isHere: () => rows().length > 0, act: step(-1) },
  {
    keys: ['x'],
    what: 'Choose the row',
    isHere: () => rows().length > 0,
    act: () =>
      document.activeElement
        ?.closest('tr')
        ?.querySelector<HTMLInputElement>('.col-tick > input')
        ?.click(),
  },
  follow(['g', 't'], 'Go to Tests', '.nav-list a[href="/"], .nav-list a[href^="/?"]'),
  follow(['g', 'd'], 'Go to Drafts', '.tabs a[href^="/tests/list/drafts"]'),
  follow(['g', 'l'], 'Go to Lift Assist', '.nav-list a[href^="/recommendations"]'),
  follow(['g', 's'], 'Go to Settings', '.nav-list a[href^="/settings"]'),
  follow(['g', 'n'], 'Go to Notifications', '.store-menu a[href^="/settings/notifications"]'),
  follow(['g', 'b'], 'Go to Plan & Billing', '.store-menu a[href^="/settings/billing"]'),
  // islands/drafts/edit-watch.ts handles these, in fields too.
  { keys: [isMac ? '⌘Z' : 'Ctrl+Z'], what: 'Undo', isHere: () => isEditor(), act: () => {} },
  { keys: [isMac ? '⇧⌘Z' : 'Shift+Ctrl+Z'], what: 'Redo', isHere: () => isEditor(), act: () => {} },
  { keys: ['?'], what: 'Show this list', isHere: () => true, act: () => show() },
]

const kept = 'shortcuts'
let isOff = false
// A browser that stores nothing for a frame of another site throws; then the choice lasts as long
// as the page.
try {
  isOff = localStorage.getItem(kept) === 'off'
} catch {
  /* nothing was kept */
}

let first: string | null = null
/**
 * Handles a key that was pressed outside a field, alone or as the second of two. Does nothing while
 * a dialog is open.
 */
export function press(key: string): void {
  if (isOff || document.querySelector('dialog[open]')) return
  const pressed = first === null ? [key] : [first, key]
  first = null
  const here = shortcuts.filter(({ isHere }) => isHere())
  const found = here.find(({ keys }) => keys.join() === pressed.join())
  if (found) found.act()
  else if (here.some(({ keys }) => keys.length > 1 && keys[0] === key)) first = key
}

/** Shows the shortcuts of this page, and a switch that turns them off (WCAG 2.1.4). */
export function show(): void {
  const dialog = document.createElement('dialog'),
    switched = make('input', { type: 'checkbox', checked: !isOff })
  dialog.setAttribute('aria-labelledby', 'shortcuts-title')
  const body = make('tbody', {})
  for (const { keys, what } of shortcuts.filter(({ isHere }) => isHere())) {
    const row = body.insertRow()
    row.insertCell().textContent = what
    const cell = row.insertCell()
    cell.className = 'num'
    keys.forEach((key, i) =>
      cell.append(...(i > 0 ? [' then '] : []), make('kbd', { textContent: key })),
    )
  }
  const table = make('table', { className: 'table' }),
    label = make('label', { className: 'check' }),
    footer = make('footer', {})
  const close = make('button', {
    type: 'button',
    className: 'secondary',
    textContent: 'Close',
    onclick: () => dialog.close(),
  })
  table.append(body)
  label.append(switched, 'Use these shortcuts in this browser')
  footer.append(close)
  const modal = make('div', { className: 'modal' })
  modal.append(
    make('h2', { id: 'shortcuts-title', textContent: 'Keyboard shortcuts' }),
    table,
    label,
    footer,
  )
  dialog.append(modal)
  dialog.addEventListener('close', () => dialog.remove())
  switched.addEventListener('change', () => {
    isOff = !switched.checked
    try {
      localStorage.setItem(kept, isOff ? 'off' : 'on')
    } catch {
      /* the choice lasts as long as the page */
    }
  })
  document.body.append(dialog)
  dialog.showModal()
  close.focus()
}

const make = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  values: Partial<HTMLElementTagNameMap[K]>,
): HTMLElementTagNameMap[K] => Object.assign(document.createElement(name), values)
