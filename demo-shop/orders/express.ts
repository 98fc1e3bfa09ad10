import type { FastifyPluginAsync } from 'fastify'
import type { ShopCapabilities } from '../admin/capabilities.ts'
import type { Catalogue } from '../catalogue/changed.ts'
import { group, integer, orderFieldsOf } from '../forms.ts'
import { addLine, type Carts, lineKey, setAttributes, setQuantity } from './carts.ts'
import { selectedOf } from './cart-routes.ts'

/** The cookie with the cart of an express checkout. */
export const expressCookie = 'express_cart'
/** How long an express checkout may take. Seconds. */
const expressAge = 3600

/**
 * "Buy it now" on a product and express checkout in the cart: both go straight to the checkout,
 * with a cart of their own. On real platforms such a cart has no attributes; whether it has them
 * here is a capability of the shop.
 */
export const express: FastifyPluginAsync<{
  carts: Carts
  catalogue: Catalogue
  capabilities: ShopCapabilities
  isSecure: boolean
}> = async (app, { carts, catalogue, capabilities, isSecure }) => {
  const { findVariant } = catalogue
  app.post('/checkout/express', (request, reply) => {
    const fields = orderFieldsOf(request)
    const cart = carts.find(request.cookies['cart'])
    const own = carts.begin()
    if (fields['id'] !== undefined || fields['options'] !== undefined)
      addLine(
        own,
        selectedOf(fields, catalogue),
        fields['quantity'] === undefined ? 1 : integer(fields['quantity']),
        findVariant,
      )
    else {
      own.lines = (cart?.lines ?? []).map(line => ({ ...line }))
      for (const [key, quantity] of Object.entries(group(fields, 'updates')))
        setQuantity(own, lineKey(key), integer(quantity), findVariant)
    }
    if (own.lines.length === 0) return reply.redirect('/cart', 303)
    if (capabilities.current().expressAttributes)
      setAttributes(own, { ...cart?.attributes, ...group(fields, 'attributes') })
    carts.save(own)
    return reply
      .setCookie(expressCookie, own.token, {
        path: '/checkout',
        maxAge: expressAge,
        sameSite: 'lax',
        httpOnly: true,
        secure: isSecure,
      })
      .redirect('/checkout?express=1', 303)
  })
}
