import { cartAttribute, type EventKind } from '../domain/events/event.ts'
import { priceAttribute } from '../domain/prices/price-test.ts'
import { guarded, on } from './guard.ts'
import { keep, recall } from './memory.ts'
import { readCookie } from './storage.ts'

/** Taken before the page can wrap it, and before we do. */
export const nativeFetch = window.fetch
/** Whether an address, whole or relative, is where things are put into the cart. */
export const isAdd = (url: unknown): boolean =>
  /^([^?#]*\/)?cart\/add(\.js)?([?#]|$)/.test(url as string)
/** Where a form, or the button that sends it, goes to. */
export const actionOf = ({
  target,
  submitter,
}: {
  target: EventTarget | null
  submitter?: HTMLElement | null
}): string | null =>
  submitter?.getAttribute('formaction') ?? (target as Element).getAttribute('action')

/** Sees what code puts into the cart, by fetch or XMLHttpRequest, and makes the cart carry the visitor's id to the order. */
export function watchCart(
  record: (kind: EventKind, tests: undefined, product?: string) => void,
): void {
  // Which product it was stands in the answer, of which the page has its own copy.
  const added = guarded((answer: Response) => {
    // A text that does not come, or not whole, names none.
    const tell = guarded((text: string) => {
      record('cart', undefined, /product_id\W+(\d+)/.exec(text)?.[1])
      stampCart()
    })
    answer.clone().text().then(tell, tell)
  })
  window.fetch = function (this: Window, ...args) {
    const answer = nativeFetch.apply(this, args)
    // The page gets the promise that we look at, so that a failure stays the page's own to handle.
    return isAdd((args[0] as Request | undefined)?.url ?? args[0])
      ? answer.then(response => {
          if (response.ok) added(response)
          return response
        })
      : answer
  }
  const { prototype } = XMLHttpRequest
  const { open } = prototype
  prototype.open = function (this: XMLHttpRequest, ...args: unknown[]) {
    if (isAdd(args[1]))
      this.addEventListener('load', () => {
        if (this.status < 300) added(new Response(this.response as string))
      })
    return (open as (...args: unknown[]) => void).apply(this, args)
  }
  // Reaches forms sent by the browser and those a theme reads with FormData, and leaves the page's elements alone.
  on<FormDataEvent>('formdata', event => {
    if (isAdd(actionOf(event)))
      event.formData.set(`attributes[${cartAttribute}]`, recall()!.visitor)
  })
}

/** What a cart says besides whose it is: a price test's part adds to it. */
export const cartSays: Record<string, string> = {}

/** Writes whose it is into the cart there is, once per cart. */
export function stampCart(): void {
  const memory = recall()
  const cart = readCookie('cart')
  if (memory && cart && memory.cart !== cart) {
    writeCart({ ...cartSays, [cartAttribute]: memory.visitor }).then(isWritten => {
      const latest = recall()
      // Refused meanwhile: which of the two the shop heard last, nobody knows.
      if (!latest) unstampCart()
      else if (isWritten) keep({ ...latest, cart })
    })
  }
}

/** Takes all of it out of the cart again, for a visitor who refuses to be counted. */
export const unstampCart = (): unknown => writeCart({ [cartAttribute]: '', [priceAttribute]: '' })

/** Whether the cart says it now. */
export const writeCart = (attributes: Record<string, string>): Promise<boolean | void> =>
  nativeFetch('/cart/update.js', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    keepalive: true,
    body: JSON.stringify({ attributes }),
  })
    .then(({ ok }) => ok)
    .catch(() => {})
