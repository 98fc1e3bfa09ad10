import type { EventKind } from '../domain/events/event.ts'
import { actionOf, isAdd } from './cart.ts'
import { on } from './guard.ts'

/** What a click must fall on to be one: not a stray tap on text. */
const interactive = 'a,button,input,select,textarea,summary,[role=button],[onclick],[tabindex]'

/**
 * Tells about clicks, about the way to the checkout and about forms that fill the cart. Each of the first two is told once a
 * page: a visitor either did so after their exposure or did not.
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
    // Shadow roots retarget the event: its path tells what was hit. Clicks that code makes are nobody's.
    const hit = event.isTrusted && (event.composedPath()[0] as Element).closest(interactive)
    if (!hit) return
    if (tested[0]) tell('click', tested)
    if (hit.closest('[href*=checkout],[action*=checkout],[name=checkout]')) tell('checkout')
  })
  on('change', onAct)
  on<SubmitEvent>('submit', event => {
    // A theme that adds by script stops the form from being sent; then its request is what counts. A form that is sent
    // leaves the page, perhaps before any timer.
    if (isAdd(actionOf(event))) sent = event
  })
  on('pagehide', () => {
    if (sent && !sent.defaultPrevented) record('cart')
    sent = false
  })
}
