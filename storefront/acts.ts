import type { EventKind } from '../domain/event.ts'
import { actionOf, isAdd } from './cart.ts'
import { guarded, on } from './guard.ts'

/** What a click must fall on to be one: not a stray tap on text. */
const interactive = 'a,button,input,select,textarea,summary,label,[role=button],[onclick],[tabindex]'
const checkout = /^\/checkout\b/

/** Tells of clicks, of forms that fill the cart and of the way to the checkout. One click a page is told: a visitor either clicked after their exposure or did not. */
export function watchActs(tested: string[], record: (kind: EventKind, tests?: string[]) => void, onAct: () => void): void {
  let isTold = !tested.length
  on<MouseEvent>('click', event => {
    onAct()
    // Shadow roots retarget the event: its path tells what was hit. Clicks that code makes are nobody's.
    const hit = (event.composedPath()[0] as Element).closest<HTMLAnchorElement>(interactive)
    if (!event.isTrusted || !hit) return
    if (!isTold) record('click', tested)
    isTold = true
    if (checkout.test(hit.pathname)) record('checkout')
  })
  on('change', onAct)
  on<SubmitEvent>('submit', event => {
    const action = actionOf(event)
    // A theme that adds by script stops the form from being sent; then its request is what counts.
    if (isAdd(action)) setTimeout(guarded(() => { if (!event.defaultPrevented) record('cart') }))
    if (checkout.test(action) || event.submitter?.getAttribute('name') === 'checkout') record('checkout')
  })
}
