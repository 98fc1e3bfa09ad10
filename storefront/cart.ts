import { cartAttribute, type EventKind } from '../domain/events/event.ts'
import { priceAttribute } from '../domain/prices/price-test.ts'
import { guarded, on } from './guard.ts'
import { keep, recall } from './memory.ts'
import { readCookie } from './storage.ts'

/** The browser's own fetch, saved before the page or this script wraps it. */
export const nativeFetch = window.fetch
/** Whether an address, absolute or relative, is the one that adds to the cart. */
export const isAdd = (url: unknown): boolean =>
  /^([^?#]*\/)?cart\/add(\.js)?([?#]|$)/.test(url as string)
/** The address that a form is sent to: the one of the button that sends it, else the form's own. */
export const actionOf = ({
  target,
  submitter,
}: {
  target: EventTarget | null
  submitter?: HTMLElement | null
}): string | null =>
  submitter?.getAttribute('formaction') ?? (target as Element).getAttribute('action')

/**
 * Records what code adds to the cart, by fetch or XMLHttpRequest. Makes the cart carry the
 * visitor's id to the order.
 */
export const watchCart = (
  record: (kind: EventKind, tests: undefined, product?: string) => void,
): void => {
  // The answer names the product. We read a copy of it, because the page reads the answer too.
  const added = guarded((answer: Response) => {
    // An answer that cannot be read, or only in part, names no product; the event is recorded all
    // the same.
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
  // This covers forms that the browser sends and forms that a theme reads with FormData. It changes
  // no element of the page.
  on<FormDataEvent>('formdata', event => {
    if (isAdd(actionOf(event)))
      event.formData.set(`attributes[${cartAttribute}]`, recall()!.visitor)
  })
}

/**
 * Attributes that the cart gets besides the visitor's id. The part for price tests adds its own.
 */
export const cartSays: Record<string, string> = {}

/** Writes the visitor's id into the existing cart, once per cart. */
export function stampCart(): void {
  const memory = recall()
  const cart = readCookie('cart')
  if (memory && cart && memory.cart !== cart) {
    writeCart({ ...cartSays, [`attributes[${cartAttribute}]`]: memory.visitor }).then(isWritten => {
      const latest = recall()
      // The visitor refused while the request was running. The shop may have handled the two
      // requests in either order, so clear the cart again.
      if (!latest) unstampCart()
      else if (isWritten) keep({ ...latest, cart })
    })
  }
}

/** Removes all of our attributes from the cart, for a visitor who refuses to be counted. */
export const unstampCart = (): unknown =>
  writeCart({
    [`attributes[${cartAttribute}]`]: '',
    [`attributes[${priceAttribute}]`]: '',
  })

/**
 * Writes attributes into the cart. Resolves to whether the shop has accepted them, and to undefined
 * when the request failed.
 */
export const writeCart = (fields: Record<string, string>): Promise<boolean | void> =>
  nativeFetch('/cart/update.js', {
    method: 'POST',
    body: new URLSearchParams(fields),
    keepalive: true,
  })
    .then(({ status }) => status < 300)
    .catch(() => {})
