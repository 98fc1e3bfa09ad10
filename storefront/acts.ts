import type { EventKind } from '../domain/events/event.ts'
import { actionOf, isAdd } from './cart.ts'
import { on } from './guard.ts'

/** A click counts only when it hits one of these elements, not when it hits plain text. */
const interactive = 'a,button,input,select,textarea,summary,[role=button],[onclick],[tabindex]'

/**
 * Records clicks, the start of the checkout, and forms that add to the cart. A click and a checkout
 * are recorded at most once per page, because only one thing matters: whether the visitor did it
 * after their exposure.
 */
export function watchActs(
  tested: string[],
  record: (kind: EventKind, tests?: string[]) => void,
  onAct: () => void,
): void {
  let sent: SubmitEvent | false | undefined
  const told: { [kind in EventKind]?: boolean } = {}
  const tell = (kind: EventKind, tests?: string[]): void => {
    if (!told[kind]) record(kind, tests)
    told[kind] = true
  }
  on<MouseEvent>('click', event => {
    onAct()
    // Shadow roots retarget the event, so its path says what was hit. Clicks that code makes are
    // ignored.
    const hit = event.isTrusted && (event.composedPath()[0] as Element).closest(interactive)
    if (!hit) return
    if (tested[0]) tell('click', tested)
    if (hit.closest('[href*=checkout],[action*=checkout],[name=checkout]')) tell('checkout')
  })
  on('change', onAct)
  on<SubmitEvent>('submit', event => {
    // A theme that adds to the cart by script prevents the form from being sent; then its request
    // is counted (cart.ts). A form that the browser sends leaves the page, perhaps before any timer
    // runs.
    if (isAdd(actionOf(event))) sent = event
  })
  on('pagehide', () => {
    if (sent && !sent.defaultPrevented) record('cart')
    sent = false
  })
}
