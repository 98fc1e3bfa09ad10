import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import {
  addLine,
  lineKey,
  setAttributes,
  setQuantity,
  cartAge,
  cartLimits,
  type Cart,
  type Carts,
  type LineKey,
  type PriceCart,
} from './carts.ts'
import type { Catalogue } from '../catalogue/changed.ts'
import { orderFieldsOf, group, integer, text, type Fields } from '../forms.ts'
import type { LocaleOf } from '../pages/localization.ts'
import type { ShowPage } from '../pages/show-page.ts'
import { shownCart } from '../pages/shown.ts'

export type CartRoutesOptions = {
  carts: Carts
  price: PriceCart
  localeOf: LocaleOf
  catalogue: Catalogue
  show: ShowPage
  isSecure: boolean
}

/**
 * The cart: a page and forms for shoppers, `.js` calls for scripts. Its token is a cookie that the
 * shop's own scripts may read.
 */
export const cartRoutes: FastifyPluginAsync<CartRoutesOptions> = async (
  app,
  { carts, price, localeOf, catalogue, show, isSecure },
) => {
  const { findVariant } = catalogue
  const cartOf = (request: FastifyRequest): Cart =>
    carts.find(request.cookies['cart']) ?? carts.begin()
  const keep = (reply: FastifyReply, cart: Cart): void => {
    carts.save(cart)
    reply.setCookie('cart', cart.token, {
      path: '/',
      maxAge: cartAge / 1000,
      sameSite: 'lax',
      secure: isSecure,
    })
  }
  const change = (
    request: FastifyRequest,
    reply: FastifyReply,
    apply: (cart: Cart, fields: Fields) => void,
  ): Cart => {
    const fields = orderFieldsOf(request)
    const cart = cartOf(request)
    apply(cart, fields)
    setAttributes(cart, group(fields, 'attributes'))
    if (fields['note'] !== undefined) cart.note = text(fields['note']).slice(0, cartLimits.note)
    keep(reply, cart)
    return cart
  }
  const add = (cart: Cart, fields: Fields): void => {
    // Scripts may add several at once: { items: [{ id, quantity }] }.
    const items = Array.isArray(fields['items']) ? (fields['items'] as Fields[]) : [fields]
    for (const item of items) {
      if (typeof item !== 'object' || item === null)
        throw new HttpProblem(422, 'Choose what to add.', [
          { field: 'items', message: 'Each item has an id and a quantity.' },
        ])
      addLine(
        cart,
        selectedOf(item, catalogue),
        item['quantity'] === undefined ? 1 : integer(item['quantity']),
        findVariant,
      )
    }
  }
  const update = (cart: Cart, fields: Fields): void => {
    for (const [key, quantity] of Object.entries(group(fields, 'updates')))
      setQuantity(cart, lineKey(key), integer(quantity), findVariant)
  }

  /** The cart in the buyer's currency. */
  const shown = (request: FastifyRequest, cart: Cart) => {
    const { currency } = localeOf(request)
    return shownCart(price(cart, currency), currency)
  }

  app.get('/cart', (request, reply) => show(request, reply, 'cart', { page_title: 'Cart' }))
  app.get('/cart.js', request => shown(request, cartOf(request)))
  app.post('/cart/add', (request, reply) => {
    change(request, reply, add)
    return reply.redirect('/cart', 303)
  })
  // The answer is the cart, with the id of the added product first, as the hosted platform answers.
  // The address of the page's own cart API (page-apis.ts) answers the same.
  for (const path of ['/cart/add.js', '/cart/lines.js'])
    app.post(path, (request, reply) => {
      const cart = change(request, reply, add)
      return { product_id: added(orderFieldsOf(request), catalogue), ...shown(request, cart) }
    })
  app.post('/cart/update.js', (request, reply) => shown(request, change(request, reply, update)))
  app.post('/cart/change.js', (request, reply) => {
    const changed = change(request, reply, (cart, fields) =>
      setQuantity(cart, lineKey(text(fields['id'])), integer(fields['quantity']), findVariant),
    )
    return shown(request, changed)
  })
  // The only form of the cart page: quantities and note. Its second button leads to the checkout.
  app.post('/cart', (request, reply) => {
    change(request, reply, update)
    return reply.redirect('checkout' in orderFieldsOf(request) ? '/checkout' : '/cart', 303)
  })
}

/** The product variant and the selling plan that a form names. */
export function selectedOf(fields: Fields, catalogue: Catalogue): LineKey {
  const plan = text(fields['selling_plan'])
  return { id: variantOf(fields, catalogue), ...(plan && { plan: integer(plan) }) }
}

/** Id of the product that was added; with several, of the first. */
function added(fields: Fields, catalogue: Catalogue): number | undefined {
  const first = Array.isArray(fields['items']) ? (fields['items'] as Fields[])[0] : fields
  return first && catalogue.findVariant(variantOf(first, catalogue))?.product.id
}

/**
 * The product variant that a form names: by the chosen options, which count where no script has
 * kept the id up to date, else by id.
 */
function variantOf(fields: Fields, { findProduct, findVariant }: Catalogue): number {
  const id = integer(fields['id'])
  const options = Object.values(group(fields, 'options'))
  const product = findProduct(text(fields['product'])) ?? findVariant(id)?.product
  const chosen =
    options.length > 0
      ? product?.variants.find(variant => variant.options.every((value, i) => value === options[i]))
      : undefined
  if (chosen) return chosen.id
  if (Number.isNaN(id))
    throw new HttpProblem(422, 'Choose what to add.', [
      { field: 'id', message: 'Which product variant?' },
    ])
  return id
}
