import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { HttpProblem } from '../domain/problem.ts'
import { addLine, lineKey, priceCart, setAttributes, setQuantity, cartLimits, type Cart, type Carts } from './carts.ts'
import type { Catalogue } from './catalogue/changed.ts'
import { fieldsOf, group, integer, text, type Fields } from './forms.ts'
import type { ShowPage } from './storefront-pages.ts'

const fortnight = 14 * 86_400

/** The cart: a page and forms for shoppers, `.js` calls for scripts. Its token is a cookie that the shop's own scripts may read. */
export const cartRoutes: FastifyPluginAsync<{ carts: Carts; catalogue: Catalogue; show: ShowPage; isSecure: boolean }> = async (app, { carts, catalogue, show, isSecure }) => {
  const { findVariant } = catalogue
  const cartOf = (request: FastifyRequest): Cart => carts.find(request.cookies['cart']) ?? carts.begin()
  const keep = (reply: FastifyReply, cart: Cart): void => {
    carts.save(cart)
    reply.setCookie('cart', cart.token, { path: '/', maxAge: fortnight, sameSite: 'lax', secure: isSecure })
  }
  const change = (request: FastifyRequest, reply: FastifyReply, apply: (cart: Cart, fields: Fields) => void): Cart => {
    const fields = fieldsOf(request)
    const cart = cartOf(request)
    apply(cart, fields)
    setAttributes(cart, group(fields, 'attributes'))
    if (fields['note'] !== undefined) cart.note = text(fields['note']).slice(0, cartLimits.note)
    keep(reply, cart)
    return cart
  }
  const add = (cart: Cart, fields: Fields): void => {
    // Several at once is the scripts' way: { items: [{ id, quantity }] }.
    const items = Array.isArray(fields['items']) ? (fields['items'] as Fields[]) : [fields]
    for (const item of items) {
      const plan = text(item['selling_plan'])
      addLine(cart, { id: variantOf(item, catalogue), ...(plan && { plan: integer(plan) }) }, item['quantity'] === undefined ? 1 : integer(item['quantity']), findVariant)
    }
  }
  const update = (cart: Cart, fields: Fields): void => {
    for (const [key, quantity] of Object.entries(group(fields, 'updates'))) setQuantity(cart, lineKey(key), integer(quantity), findVariant)
  }

  app.get('/cart', (request, reply) => show(request, reply, 'cart', { page_title: 'Cart' }))
  app.get('/cart.js', request => priceCart(cartOf(request), findVariant))
  app.post('/cart/add', (request, reply) => {
    change(request, reply, add)
    return reply.redirect('/cart', 303)
  })
  app.post('/cart/add.js', (request, reply) => priceCart(change(request, reply, add), findVariant))
  app.post('/cart/update.js', (request, reply) => priceCart(change(request, reply, update), findVariant))
  app.post('/cart/change.js', (request, reply) => {
    const changed = change(request, reply, (cart, fields) => setQuantity(cart, lineKey(text(fields['id'])), integer(fields['quantity']), findVariant))
    return priceCart(changed, findVariant)
  })
  // The cart page's one form: quantities and note; its second button leads on to the checkout.
  app.post('/cart', (request, reply) => {
    change(request, reply, update)
    return reply.redirect('checkout' in fieldsOf(request) ? '/checkout' : '/cart', 303)
  })
}

/** The product variant of a form: by id, or by the options chosen where no script has kept the id up to date. */
function variantOf(fields: Fields, { findProduct, findVariant }: Catalogue): number {
  const id = integer(fields['id'])
  const options = Object.values(group(fields, 'options'))
  const product = findProduct(text(fields['product'])) ?? findVariant(id)?.product
  const chosen = options.length > 0 ? product?.variants.find(variant => variant.options.every((value, i) => value === options[i])) : undefined
  if (chosen) return chosen.id
  if (Number.isNaN(id)) throw new HttpProblem(422, 'Choose what to add.', [{ field: 'id', message: 'Which product variant?' }])
  return id
}
