import { cartAttribute } from '../domain/event.ts'
import { priceAttribute } from '../domain/price-test.ts'
import { guarded, on } from './guard.ts'
import { keep, recall } from './memory.ts'
import { readCookie } from './storage.ts'

/** Taken before the page can wrap it, and before we do. */
export const nativeFetch = window.fetch
const pathOf = (url: unknown): string => new URL(url as string, location.href).pathname
export const isAdd = (path: string): boolean => /\/cart\/add(\.js)?$/.test(path)
/** Path that a form, or the button that sends it, goes to. */
export const actionOf = ({ target, submitter }: { target: EventTarget | null; submitter?: HTMLElement | null }): string =>
  pathOf(submitter?.getAttribute('formaction') ?? (target as Element).getAttribute('action'))

/** Sees what code puts into the cart, by fetch or XMLHttpRequest, and makes the cart carry the visitor's id to the order. */
export function watchCart(onAdded: () => void): void {
  const added = guarded(() => {
    onAdded()
    stampCart()
  })
  const adds = (request: unknown): boolean => {
    try {
      return isAdd(pathOf((request as Request).url ?? request))
    } catch {
      return false
    }
  }
  window.fetch = function (this: Window, ...args) {
    const answer = nativeFetch.apply(this, args)
    // The page gets the promise that we look at, so that a failure stays the page's own to handle.
    return adds(args[0]) ? answer.then(response => {
      if (response.ok) added()
      return response
    }) : answer
  }
  const { prototype } = XMLHttpRequest
  const { open } = prototype
  prototype.open = function (this: XMLHttpRequest, ...args: unknown[]) {
    if (adds(args[1])) this.addEventListener('load', () => { if (this.status < 300) added() })
    return (open as (...args: unknown[]) => void).apply(this, args)
  }
  // Reaches forms sent by the browser and those a theme reads with FormData, and leaves the page's elements alone.
  on<FormDataEvent>('formdata', event => {
    if (isAdd(actionOf(event))) event.formData.set(`attributes[${cartAttribute}]`, recall()!.visitor)
  })
}

/** What a cart says besides whose it is: a price test's part adds to it. */
export const cartSays: Record<string, string> = {}

/** Writes whose it is into the cart there is, once per cart. */
export function stampCart(): void {
  const memory = recall()
  const cart = readCookie('cart')
  if (memory && cart && memory.cart !== cart) {
    writeCart({ ...cartSays, [cartAttribute]: memory.visitor }).then(({ ok }) => {
      const latest = recall()
      if (ok && latest) keep({ ...latest, cart })
    }).catch(() => {})
  }
}

/** Takes all of it out of the cart again, for a visitor who refuses to be counted. */
export const unstampCart = (): unknown => writeCart({ [cartAttribute]: '', [priceAttribute]: '' }).catch(() => {})

export const writeCart = (attributes: Record<string, string>): Promise<Response> => nativeFetch('/cart/update.js', {
  method: 'POST', headers: { 'content-type': 'application/json' }, keepalive: true, body: JSON.stringify({ attributes }),
})
