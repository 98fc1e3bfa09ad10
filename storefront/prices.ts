import { cartAttribute } from '../domain/events/event.ts'
import { priceAttribute, shownAmount } from '../domain/prices/price-test.ts'
import type { ScriptPrice, ScriptTest } from '../domain/script/script-config.ts'
import { actionOf, cartSays, isAdd, writeCart } from './cart.ts'
import { isRefused } from './consent.ts'
import type { TagFacts } from './core.ts'
import { cover, guarded, on } from './guard.ts'
import { isLasting, read, readCookie, remove, write } from './storage.ts'

const key = '_ts_prices'
const productPath = '/products/'
const idField = 'form[action*="/cart/add"] [name=id]'
/** Where a page says what it is about, and what stands around that on every page. An article's own header is its own. */
const main = 'main,[role=main]',
  edges = 'header,footer,nav,[role=banner],[role=contentinfo],[role=navigation]'
/** Texts nobody reads as a price of today, or that are read by machines: those keep the control's. */
const otherwise = 's,del,script,style,noscript,textarea,template'
const figures = /\d[\d.,'\u00a0\u202f ]*\d|\d/g
/** A currency's sign or code: what stands near no such thing is a size, a rating, a count. */
const currency = /\p{Sc}|\b[A-Z]{3}\b|\b(kr|zł|Kč|Ft|lei)\b/u
/** Part of the main thread that looking for prices may take, and what it may take at once. Milliseconds. */
const share = 0.008,
  atOnce = 20

/**
 * Writes the variant's price wherever the page shows a product's own one: a card, a list, the product's page, a drawer.
 * A price is known by its product (the page's, or the one product that the nearest links around it lead to) and by its
 * amount, so that no theme has to say where it shows prices; the text around the amount stays as the theme wrote it. The
 * page's product is asked of its own part of the page alone: "free delivery over $50" in a bar above is no price of it.
 * Answers with a function that looks at everything again.
 */
export function showPrices(
  tests: Pick<ScriptTest, 'id' | 'prices'>[],
  { rate = '1', digits = '2' }: TagFacts,
  visitor: string,
): (() => void) | undefined {
  const wanted = tests.filter(({ prices }) => prices)
  // A cart that names what is not shown to its visitor any more is to name it no longer.
  if (!wanted[0] && read(key) === undefined) return
  // A preview is nobody's visit: its cart stays as it is.
  if (visitor && stampPrices(visitor, wanted.map(({ id }) => id).join())) return
  if (!wanted[0]) return
  const products: Record<string, ScriptPrice[]> = Object.assign(
    {},
    ...wanted.map(({ prices }) => prices),
  )
  const unit = 10 ** +digits
  const kept = new WeakMap<Node, { from: string; to: string }>()
  const own = products[handleOf(location)] ?? []
  const asked = new URLSearchParams(location.search).get('variant')
  const chosen = (): string | null | undefined =>
    (
      document.querySelector<HTMLInputElement>(`${idField}:checked`) ??
      document.querySelector<HTMLInputElement>(`${idField}:not([type=radio])`)
    )?.value ?? asked
  /** Of what a price belongs to; that of the page where nothing around it says so, from where its own part begins. */
  const pricesAt = (text: Text, place: Element): ScriptPrice[] => {
    const around = place.closest(edges)
    const edge = !around?.closest(`${main},article`) && around
    for (let node: Element | null = place; node; node = node.parentElement) {
      if (own[0] && node.matches(main)) return own
      const sold = node.querySelector<HTMLInputElement>(idField)?.value
      if (sold && own.some(([id]) => id === sold)) {
        // What holds the whole page says nothing of each of its texts.
        if (edge ? edge.contains(node) : !node.querySelector(`${main},${edges}`)) return own
        break
      }
      const links = [
        ...node.querySelectorAll<HTMLAnchorElement>(`a[href*="${productPath}"]`),
        ...(node.matches('a') ? [node as HTMLAnchorElement] : []),
      ]
      const [handle, ...others] = new Set(links.map(handleOf))
      if (others[0]) break
      // A line of a cart leads to its product variant, and may show the tested price already.
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
    // Always worked out from what the theme wrote: which product variant it is about may be known only later.
    const from = before?.to === data ? before.from : data
    const hasSign = currency.test(parentElement.textContent!.slice(0, 60))
    const to = from.replace(figures, figure => {
      const hasCents = unit > 1 && /[.,]\d+$/.exec(figure)?.[0].length === +digits + 1
      if (!hasSign && !hasCents) return figure
      const amount = +figure.replace(/\D/g, '') * (hasCents ? 1 : unit)
      const same = pricesAt(text, parentElement).filter(
        ([, control]) => shownAmount(control, +rate) === amount,
      )
      const price = same.find(([id]) => id === chosen()) ?? same[0]
      return price ? worded(shownAmount(price[2], +rate), figure, hasCents) : figure
    })
    kept.set(text, { from, to })
    if (to !== data) text.data = to
  })
  /** An amount in the way another one was written. Cents that the other had none of are written all the same. */
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

/** Shows `see` what comes onto the page, for as long as it is open: lists grow while one scrolls. All of it is seen again when asked. */
function watch(see: (root: Node) => void): () => void {
  // What is parsed is looked at before it is painted, whatever it takes: time counts from the end of parsing. Not by
  // `readyState`: a page is "interactive", and painted, while its deferred scripts are still on their way.
  let spent = document.readyState === 'loading' ? -Infinity : 0
  let isBehind = false
  const look = (records: MutationRecord[]): void => {
    const began = performance.now()
    // A page that changes without end is looked at as a whole, later.
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
    // What an act of the visitor's brings is drawn at once, however much was spent before.
    spent = Math.min(spent, performance.now() * share)
    again()
  }
}

/** Of a link to a product, however it is encoded; '' for another. */
function handleOf({ pathname }: { pathname: string }): string {
  const handle = (pathname.split(productPath)[1] ?? '').split('/')[0]!.toLowerCase()
  try {
    return decodeURIComponent(handle).toLowerCase()
  } catch {
    return handle
  }
}

/**
 * Writes into the cart, which is made if need be, whose it is and which price tests they are in: the platform draws it and
 * charges by that. Once per cart. True on a page that shows the cart: that one draws no prices of its own, and one from
 * before is not shown until it is drawn again.
 */
function stampPrices(visitor: string, tests: string): boolean {
  const isCart = location.pathname.endsWith('/cart')
  const attributes = { [cartAttribute]: visitor, [priceAttribute]: tests }
  const stamp = (): string => readCookie('cart') + JSON.stringify(attributes)
  // Carts that begin later say it too.
  cartSays[priceAttribute] = tests
  on<FormDataEvent>('formdata', event => {
    if (isAdd(actionOf(event))) event.formData.set(`attributes[${priceAttribute}]`, tests)
  })
  if (read(key) !== stamp()) {
    const uncover = isCart ? cover() : undefined
    // That there is something to take back is known even where the answer is lost.
    write(key, '')
    writeCart(attributes).then(isWritten => {
      // Refused meanwhile: which of the two the shop heard last, nobody knows.
      if (isRefused()) writeCart({ [cartAttribute]: '', [priceAttribute]: '' })
      if (!isWritten || isRefused()) return uncover?.()
      if (tests) write(key, stamp())
      else remove(key)
      // Where nothing is kept the next page would begin again.
      if (isCart && isLasting) location.reload()
      else uncover?.()
    })
  }
  return isCart
}
