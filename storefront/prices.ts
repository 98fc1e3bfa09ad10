import { cartAttribute } from '../domain/events/event.ts'
import { priceAttribute, shownAmount } from '../domain/prices/price-test.ts'
import type { ScriptPrice, ScriptTest } from '../domain/script/script-config.ts'
import { actionOf, cartSays, isAdd, unstampCart, writeCart } from './cart.ts'
import { isRefused } from './consent.ts'
import type { TagFacts } from './core.ts'
import { cover, guarded, on } from './guard.ts'
import { isLasting, read, readCookie, remove, write } from './storage.ts'

/** What we remember of the cart has the name of the cart's attribute. */
const key = priceAttribute
const productPath = '/products/'
const idField = 'form[action*="/cart/add"] [name=id]'
/**
 * The part of a page that says what the page is about, and the parts around it that every page has.
 * The header of an article belongs to the article.
 */
const main = 'main,[role=main]',
  edges = 'header,footer,nav,[role=banner],[role=contentinfo],[role=navigation]'
/**
 * Texts that nobody reads as today's price, or that only machines read. They keep the control's
 * price.
 */
const otherwise = 's,del,script,style,noscript,textarea,template'
const figures = /\d[\d.,'\u00a0\u202f ]*\d|\d/g
/**
 * A currency's sign or code. A figure without cents that has none of these near it is a size, a
 * rating or a count.
 */
const currency = /\p{Sc}|\b[A-Z]{3}\b|\b(kr|zł|Kč|Ft|lei)\b/u
/**
 * The share of the main thread's time that looking for prices may take, and how long it may take at
 * once (milliseconds).
 */
const share = 0.008,
  atOnce = 20

/**
 * Writes the variant's price wherever the page shows the product's own price: on a card, in a list,
 * on the product's page, in a drawer. A price is recognised by its product (the page's product, or
 * the one product that the nearest links around it lead to) and by its amount, so no theme has to
 * say where it shows prices. The text around the amount stays as the theme wrote it. The page's own
 * product counts only in the main part of the page: "free delivery over $50" in a bar above is not
 * its price. Returns a function that looks at the whole page again.
 */
export function showPrices(
  tests: Pick<ScriptTest, 'id' | 'prices'>[],
  { rate = '1', step = '1', ending = '0', digits = '2' }: TagFacts,
  visitor: string,
): (() => void) | undefined {
  const wanted = tests.filter(({ prices }) => prices)
  // A cart may still name price tests that its visitor is no longer shown. Then continue, to remove
  // them.
  if (!wanted[0] && read(key) === undefined) return
  // A preview (without a visitor) is not a visit, so its cart is not changed.
  if (visitor && stampPrices(visitor, wanted.map(({ id }) => id).join())) return
  if (!wanted[0]) return
  const products: Record<string, ScriptPrice[]> = Object.assign(
    {},
    ...wanted.map(({ prices }) => prices),
  )
  const unit = 10 ** +digits
  const shown = (minor: number): number =>
    shownAmount(minor, { rate: +rate, step: +step, ending: +ending })
  const kept = new WeakMap<Node, { from: string; to: string }>()
  const own = products[handleOf(location)] ?? []
  const asked = new URLSearchParams(location.search).get('variant')
  const chosen = (): string | null | undefined =>
    (
      document.querySelector<HTMLInputElement>(`${idField}:checked`) ??
      document.querySelector<HTMLInputElement>(`${idField}:not([type=radio])`)
    )?.value ?? asked
  /**
   * The prices of the product that a text belongs to. When nothing around the text names a product:
   * the prices of the page's product, if the text comes after the beginning of the main part.
   */
  const pricesAt = (text: Text, place: Element): ScriptPrice[] => {
    const around = place.closest(edges)
    const edge = !around?.closest(`${main},article`) && around
    for (let node: Element | null = place; node; node = node.parentElement) {
      if (own[0] && node.matches(main)) return own
      const sold = node.querySelector<HTMLInputElement>(idField)?.value
      if (sold && own.some(([id]) => id === sold)) {
        // An element that holds the whole page says nothing about one of its texts.
        if (edge ? edge.contains(node) : !node.querySelector(`${main},${edges}`)) return own
        break
      }
      const links = [
        ...node.querySelectorAll<HTMLAnchorElement>(`a[href*="${productPath}"]`),
        ...(node.matches('a') ? [node as HTMLAnchorElement] : []),
      ]
      const [handle, ...others] = new Set(links.map(handleOf))
      if (others[0]) break
      // A line of a cart links to its product variant, and may show the tested price already.
      const [variant, ...more] = new Set(
        links.map(({ search }) => new URLSearchParams(search).get('variant')),
      )
      if (handle)
        return (products[handle] ?? []).filter(
          ([id]) => !variant || more[0] !== undefined || id === variant,
        )
    }
    const start = document.querySelector(main) ?? document.querySelector(`h1,${idField}`)
    return !edge && start && start.compareDocumentPosition(text) & 4 ? own : []
  }
  const rewrite = guarded((text: Text) => {
    const { data, parentElement } = text
    if (!/\d/.test(data) || !parentElement || parentElement.closest(otherwise)) return
    const before = kept.get(text)
    // Always computed from what the theme wrote, because the product variant may become known only
    // later.
    const from = before?.to === data ? before.from : data
    const hasSign = currency.test(parentElement.textContent!.slice(0, 60))
    const to = from.replace(figures, figure => {
      const hasCents = unit > 1 && /[.,]\d+$/.exec(figure)?.[0].length === +digits + 1
      if (!hasSign && !hasCents) return figure
      const amount = +figure.replace(/\D/g, '') * (hasCents ? 1 : unit)
      const same = pricesAt(text, parentElement).filter(([, control]) => shown(control) === amount)
      const price = same.find(([id]) => id === chosen()) ?? same[0]
      return price ? worded(shown(price[2]), figure, hasCents) : figure
    })
    kept.set(text, { from, to })
    if (to !== data) text.data = to
  })
  /**
   * An amount, written in the way another amount was written. Cents are written even if the other
   * amount had none.
   */
  const worded = (amount: number, like: string, hasCents: boolean): string => {
    const point = hasCents ? like.slice(-digits - 1)[0]! : '.'
    const between =
      like.slice(0, hasCents ? -digits - 1 : undefined).match(/\D/)?.[0] ??
      (unit > 1 && point === '.' ? ',' : '.')
    const cents = hasCents || amount % unit ? point + `${amount % unit}`.padStart(+digits, '0') : ''
    return `${Math.floor(amount / unit)}`.replace(/\B(?=(\d{3})+$)/g, between) + cents
  }
  const see = (root: Node): void => {
    if (root.nodeType === 3) rewrite(root as Text)
    else
      for (let node, walker = document.createTreeWalker(root, 4); (node = walker.nextNode());)
        see(node)
  }
  return watch(see)
}

/**
 * Passes everything that is added to the page to `see`, as long as the page is open, because lists
 * grow while the visitor scrolls. Returns a function that passes the whole page to `see` again.
 */
function watch(see: (root: Node) => void): () => void {
  // While the page is parsed, content is looked at before it is painted, however long that takes.
  // The time limit counts from the end of parsing, at DOMContentLoaded. `readyState` does not tell
  // that end: a page is "interactive", and painted, while its deferred scripts are still loading.
  let spent = document.readyState === 'loading' ? -Infinity : 0
  let isBehind = false
  const look = (records: MutationRecord[]): void => {
    const began = performance.now()
    // A page that changes endlessly is looked at as a whole, later.
    if (spent > began * share + atOnce) {
      if (!isBehind) setTimeout(guarded(again), 500)
      isBehind = true
      return
    }
    records.forEach(({ type, target, addedNodes }) =>
      type === 'childList' ? addedNodes.forEach(see) : see(target),
    )
    observer.takeRecords()
    spent += performance.now() - began
  }
  const again = (): void => {
    isBehind = false
    see(document)
    observer.takeRecords()
  }
  const observer = new MutationObserver(guarded(look))
  observer.observe(document, { childList: true, characterData: true, subtree: true })
  on('DOMContentLoaded', () => {
    again()
    spent = 0
  })
  again()
  return () => {
    // Content that an act of the visitor brings is handled at once, however much time was spent
    // before.
    spent = Math.min(spent, performance.now() * share)
    again()
  }
}

/** The product handle in a link, however it is encoded; '' when the link leads to no product. */
function handleOf({ pathname }: { pathname: string }): string {
  const handle = (pathname.split(productPath)[1] ?? '').split('/')[0]!.toLowerCase()
  try {
    return decodeURIComponent(handle).toLowerCase()
  } catch {
    return handle
  }
}

/**
 * Writes into the cart, once per cart, whose it is and which price tests the visitor is in. The
 * platform makes the cart if there is none, and draws and charges by these attributes. Returns true
 * on a page that shows the cart: this script draws no prices there, and a cart page that was drawn
 * before the write stays covered until it is loaded again.
 */
function stampPrices(visitor: string, tests: string): boolean {
  const isCart = location.pathname.endsWith('/cart')
  const fields = {
    [`attributes[${cartAttribute}]`]: visitor,
    [`attributes[${priceAttribute}]`]: tests,
  }
  const stamp = (): string => readCookie('cart') + JSON.stringify(fields)
  // Carts that are made later get the attribute too.
  cartSays[`attributes[${priceAttribute}]`] = tests
  on<FormDataEvent>('formdata', event => {
    if (isAdd(actionOf(event))) event.formData.set(`attributes[${priceAttribute}]`, tests)
  })
  if (read(key) !== stamp()) {
    const uncover = isCart ? cover() : undefined
    // Written first, so that we know that there is something to remove even when the answer is
    // lost.
    write(key, '')
    writeCart(fields).then(isWritten => {
      // The visitor refused while the request was running. The shop may have handled the two
      // requests in either order, so clear the cart again.
      if (isRefused()) unstampCart()
      if (!isWritten || isRefused()) return uncover?.()
      if (tests) write(key, stamp())
      else remove(key)
      // Where nothing can be stored, the next page would write and reload again.
      if (isCart && isLasting) location.reload()
      else uncover?.()
    })
  }
  return isCart
}
