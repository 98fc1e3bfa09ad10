import 'htmx.org/dist/htmx.esm.js'
import { watchIdle } from './page/idle.ts'
import { watchTicks } from './page/keep-ticks.ts'
import { bootIslands, loadIsland, startIslands } from './start-islands.ts'
import { watchLive } from './live/live.ts'
import { onArrival } from './page/on-arrival.ts'
import { onNavigation, watchNavigation } from './page/on-navigation.ts'
import { raisePreloadError, watchLoading, withPart } from './page/preload-error.ts'
import { watchSmallScreen } from './page/small-screen.ts'
import { watchSwaps } from './page/swaps.ts'
import { showToast, watchToasts } from './page/toasts.ts'

/**
 * What every page loads: htmx, and the few behaviours that HTML cannot express. Everything on a
 * page works without it.
 */
watchLoading()
startIslands()
watchToasts()
watchLive()
watchIdle()
watchSmallScreen()
watchTicks()
watchNavigation()

const guidance = document.querySelector<HTMLScriptElement>('script[data-reload]')
if (guidance)
  withPart('guidance', import('./page/guidance.ts'), ({ watchGuidance }) =>
    watchGuidance(guidance, onNavigation),
  )
const hostAddress = () => import('./page/host-address.ts')
if (parent !== self) withPart('host-address', hostAddress(), ({ tellHost }) => tellHost())
document.addEventListener('click', ({ target }) => {
  const button = (target as Element).closest<HTMLElement>('[data-copy-link]')
  if (button) withPart('host-address', hostAddress(), ({ copyLink }) => copyLink(button, showToast))
})

// An open menu closes on a click elsewhere and on Escape, which also gives the focus back.
document.addEventListener('click', event => {
  for (const menu of openMenus()) if (!menu.contains(event.target as Node)) menu.open = false
})
document.addEventListener('keydown', event => {
  if (event.key === 'Escape')
    for (const menu of openMenus()) {
      menu.open = false
      menu.querySelector('summary')?.focus()
    }
  if (
    event.key.length > 1 ||
    event.key === ' ' ||
    event.defaultPrevented ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    isTyping(event.target)
  )
    return
  // Some browsers open their page search on this key. A module that is still loading would be too
  // late to prevent that.
  if (event.key === '/' && document.querySelector('.search-field')) event.preventDefault()
  withPart('shortcuts', shortcuts(), ({ press }) => press(event.key))
})
// One promise, so that keys pressed while the module is loading are handled in order.
const once = <T>(load: () => Promise<T>) => {
  let loading: Promise<T> | undefined
  return () => (loading ??= load())
}
const shortcuts = once(() => import('./page/shortcuts.ts'))
document.addEventListener('click', ({ target }) => {
  if ((target as Element).closest('[data-shortcuts]'))
    withPart('shortcuts', shortcuts(), ({ show }) => show())
})
// One box ticks all boxes of its column.
document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !('tickAll' in target.dataset)) return
  for (const box of target
    .closest('table')!
    .querySelectorAll<HTMLInputElement>('.col-tick > input'))
    box.checked = target.checked
})
const openMenus = () => document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')
document.addEventListener('click', event => {
  const button = (event.target as Element).closest<HTMLButtonElement>('[form=row-ask]')
  if (button?.type !== 'submit') return
  event.preventDefault()
  // If the script cannot be loaded, the server draws the menu.
  withPart(
    'row-menu',
    import('./page/row-menu.ts'),
    ({ openRowMenu }) => openRowMenu(button),
    () => button.form?.requestSubmit(button),
  )
})
// A dialog of this page opens in place. Any other comes with the page that the link leads to.
const modals = once(() => import('./page/modals.ts'))
const modalOpener = ({ target }: Event) => (target as Element).closest<HTMLElement>('[data-modal]')
document.addEventListener('click', event => {
  const opener = modalOpener(event),
    dialog = opener && document.getElementById(opener.dataset['modal']!)
  if (!dialog || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  modals()
    .then(({ openModal }) => openModal(dialog, opener, bootIslands))
    .catch((cause: unknown) => {
      raisePreloadError('Unable to load the dialogs', cause)
      // What cannot be loaded here, the server draws.
      delete opener.dataset['modal']
      opener.click()
    })
})
// By the time of the click the scripts are there.
for (const sign of ['pointerover', 'focusin'])
  document.addEventListener(sign, event => {
    if (modalOpener(event)) void Promise.all([modals(), loadIsland('modal')]).catch(() => {})
  })
// A field without a value does not go into the address.
document.addEventListener('formdata', ({ target, formData }) => {
  if ((target as HTMLFormElement).method === 'get')
    for (const name of new Set(formData.keys()))
      if (formData.get(name) === '') formData.delete(name)
})
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select'))

// An act that takes longer than this shows that it is running. Milliseconds.
const timeout = 400
document.addEventListener('submit', ({ submitter, target, defaultPrevented }) => {
  const button = submitter ?? (target as HTMLFormElement).querySelector('button:not([type=button])')
  if (!defaultPrevented) setTimeout(() => button?.setAttribute('aria-busy', 'true'), timeout)
})
addEventListener('pageshow', () =>
  document
    .querySelectorAll('button[aria-busy]')
    .forEach(button => button.removeAttribute('aria-busy')),
)

watchSwaps(timeout)
/**
 * What a page does when it has arrived: as a document, or in the place of another page, where the
 * browser keeps no cookies (islands/embedding/). Parts are loaded after the page, and only where
 * they are used.
 */
function arrive(): void {
  if (document.querySelector('[data-print], [data-printed]'))
    withPart('print', import('./page/print.ts'), ({ watchPrint }) => watchPrint())
  if (document.querySelector('[data-choice]'))
    withPart('choice-pictures', import('./drafts/choice-pictures.ts'), ({ watchChoices }) =>
      watchChoices(),
    )
  onArrival(dialog =>
    modals()
      .then(({ hand }) => hand(dialog, true, bootIslands))
      .catch((cause: unknown) => raisePreloadError('Unable to load the dialogs', cause)),
  )
  // The figures are new when the page is loaded, so the script that updates them comes later.
  if (document.querySelector('[data-figures]'))
    setTimeout(() => withPart('live-figures', import('./live/live-figures.ts'), () => {}), 4_000)
  // The first field with a problem gets the focus, except a field in a figure, which is only shown.
  // The attribute `autofocus` would not be enough: browsers ignore it in a frame of another site.
  document.querySelector<HTMLElement>('[aria-invalid=true]:not(figure *)')?.focus()
}
arrive()
document.addEventListener('page:arrived', arrive)
if (document.querySelector('.staff-chart'))
  withPart('staff-readout', import('./staff/staff-readout.ts'), () => {})
