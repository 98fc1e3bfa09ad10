import { cartAttribute } from '../domain/event.ts'
import { priceAttribute, shownAmount } from '../domain/price-test.ts'
import type { ScriptPrice } from '../domain/script-config.ts'
import { actionOf, isAdd, nativeFetch } from './cart.ts'
import type { TagFacts, Visit } from './core.ts'
import { cover, on } from './guard.ts'
import type { Observe } from './observe.ts'
import { read, readCookie, write } from './storage.ts'

const key = '_ts_prices'
const productPath = '/products/'
const form = 'form[action*="/cart/add"]'
/** Texts nobody reads as a price of today, or that are read by machines: those keep the control's. */
const otherwise = 's,del,script,style,noscript,textarea,template'
const figures = /\d[\d.,'\u00a0\u202f ]*\d|\d/g

/**
 * Writes the variant's price wherever the page shows a product's own one: a card, a list, the product's page, a drawer.
 * A price is known by its product (the page's, or the one product that the nearest links around it lead to) and by its
 * amount, so that no theme has to say where it shows prices; the text around the amount stays as the theme wrote it.
 */
export function showPrices(observe: Observe, wanted: Visit['prices'], { rate = '1', digits = '2' }: TagFacts, visitor: string): () => void {
  const attributes = { [cartAttribute]: visitor, [priceAttribute]: wanted.map(({ test }) => test).join() }
  on<FormDataEvent>('formdata', event => {
    if (isAdd(actionOf(event))) event.formData.set(`attributes[${priceAttribute}]`, attributes[priceAttribute]!)
  })
  if (stampPrices(attributes)) return () => {}
  const products: Record<string, ScriptPrice[]> = Object.assign({}, ...wanted.map(({ prices }) => prices))
  const unit = 10 ** +digits
  const ours = new WeakMap<Node, string>()
  /** Handle and product variant of a link to a product. */
  const linked = (href: string): string[] => {
    const url = new URL(href, location.href)
    return [url.pathname.split(productPath)[1] ?? '', url.searchParams.get('variant') ?? '']
  }
  /** Of what a price belongs to; that of the page where nothing around it says so. */
  const pricesAt = (place: Element | null): ScriptPrice[] => {
    for (let node = place; node; node = node.parentElement) {
      const links = [...node.querySelectorAll<HTMLAnchorElement>(`a[href*="${productPath}"]`), ...node.matches('a') ? [node as HTMLAnchorElement] : []].map(({ href }) => linked(href))
      const [handle, variant] = links[0] ?? []
      if (links.some(([other]) => other !== handle) || (!handle && node.querySelector(form))) break
      // A line of a cart leads to its product variant, and may show the tested price already.
      if (handle) return (products[handle] ?? []).filter(([id]) => !variant || id === variant)
    }
    return products[linked('')[0]!] ?? []
  }
  const chosen = (): string | undefined => document.querySelector<HTMLInputElement>(`${form} [name=id]`)?.value
  const rewrite = (text: Text): void => {
    const { data, parentElement } = text
    if (!/\d/.test(data) || ours.get(text) === data || !parentElement || parentElement.closest(otherwise)) return
    const prices = pricesAt(parentElement)
    const written = data.replace(figures, figure => {
      const hasCents = unit > 1 && /[.,]\d+$/.exec(figure)?.[0].length === +digits + 1
      const amount = +figure.replace(/\D/g, '') * (hasCents ? 1 : unit)
      const same = prices.filter(([, control]) => shownAmount(control, +rate) === amount)
      const price = same.find(([id]) => id === chosen()) ?? same[0]
      return price ? worded(shownAmount(price[2], +rate), figure, hasCents) : figure
    })
    if (written === data) return
    ours.set(text, written)
    text.data = written
  }
  /** An amount in the way another one was written. Cents that the other had none of are written all the same. */
  const worded = (amount: number, like: string, hasCents: boolean): string => {
    const point = hasCents ? like.at(-digits - 1)! : '.'
    const between = like.slice(0, hasCents ? -digits - 1 : undefined).match(/\D/)?.[0] ?? (unit > 1 && point === '.' ? ',' : '.')
    const cents = hasCents || amount % unit ? point + `${amount % unit}`.padStart(+digits, '0') : ''
    return `${Math.floor(amount / unit)}`.replace(/\B(?=(\d{3})+$)/g, between) + cents
  }
  return observe(records => {
    const see = (root: Node): void => {
      if (root.nodeType === 3) rewrite(root as Text)
      else for (let node, walker = document.createTreeWalker(root, 4); (node = walker.nextNode());) see(node)
    }
    if (records) records.forEach(({ type, target, addedNodes }) => type === 'childList' ? addedNodes.forEach(see) : see(target))
    else see(document)
  })
}

/**
 * Writes into the cart, which is made if need be, whose it is and which price tests they are in: the platform draws it and
 * charges by that. Once per cart. True on a page that shows the cart: that one draws no prices of its own, and one from
 * before is not shown until it is drawn again.
 */
function stampPrices(attributes: Record<string, string>): boolean {
  const isCart = location.pathname.endsWith('/cart')
  const stamp = (): string => readCookie('cart') + JSON.stringify(attributes)
  if (read(key) !== stamp()) {
    const uncover = isCart ? cover() : undefined
    nativeFetch('/cart/update.js', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ attributes }) }).then(({ ok }) => {
      if (ok) write(key, stamp())
      if (ok && isCart && read(key) === stamp()) location.reload()
      else uncover?.()
    }).catch(() => uncover?.())
  }
  return isCart
}
