import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { HttpProblem, type FieldProblem } from '../../domain/problem.ts'
import type { Bearer } from '../apps/bearer.ts'
import type { Carts, PriceCart } from './carts.ts'
import { orderFieldsOf, text, wantsJson, type Fields } from '../forms.ts'
import { countries, type LocaleOf } from '../pages/localization.ts'
import { orderJson, type Customer } from './order.ts'
import type { Orders } from './orders.ts'
import type { PlatformViews } from '../admin/platform-views.ts'
import { shownCart, shownOrder } from '../pages/shown.ts'

const labels: Record<keyof Customer, string> = {
  email: 'E-mail',
  name: 'Name',
  address: 'Address',
  city: 'City',
  postcode: 'ZIP code',
  country: 'Country',
}
const names = Object.keys(labels) as (keyof Customer)[]
const longest = 200

export type CheckoutOptions = {
  carts: Carts
  orders: Orders
  views: PlatformViews
  isAdmin: Bearer
  clock: () => Date
  price: PriceCart
  localeOf: LocaleOf
  /** Throws when no more orders are accepted now (order-room.ts). */
  requireRoom: (isShop: boolean) => void
}

/**
 * From cart to order. The order's own page has an address that nobody can guess, so only its buyer
 * knows it.
 */
export const checkout: FastifyPluginAsync<CheckoutOptions> = async (
  app,
  { carts, orders, views, isAdmin, clock, price, localeOf, requireRoom },
) => {
  const page = (reply: FastifyReply, name: string, data: object) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "frame-ancestors 'none'")
      .header('cache-control', 'no-store')
      .send(views.render(name, data))

  app.get('/checkout', (request, reply) => {
    const cart = carts.find(request.cookies['cart'])
    const priced = cart && price(cart)
    if (!priced?.items.length) return reply.redirect('/cart', 302)
    const { country, currency } = localeOf(request)
    return page(reply, 'checkout', {
      cart: shownCart(priced, currency),
      values: { country: countries.find(({ code }) => code === country)?.name },
      problems: {},
    })
  })

  app.post('/checkout', (request, reply) => {
    const token = request.cookies['cart'] ?? ''
    const done = (order: ReturnType<Orders['byToken']> & object) => {
      reply.clearCookie('cart', { path: '/' })
      return wantsJson(request)
        ? reply.code(201).send(orderJson(order))
        : reply.redirect(`/orders/${order.token}`, 303)
    }
    // The second click of a double click, or a repeat after a lost answer: the order exists
    // already.
    const placed = orders.byCart(token)
    if (placed) return done(placed)

    const fields = orderFieldsOf(request)
    const cart = carts.find(token)
    const priced = cart && price(cart)
    if (!priced?.items.length) {
      if (wantsJson(request)) throw new HttpProblem(422, 'The cart is empty.')
      return reply.redirect('/cart', 303)
    }
    const { currency } = localeOf(request)
    const customer = Object.fromEntries(names.map(name => [name, text(fields[name])])) as Customer
    const problems = problemsOf(customer)
    if (problems.length > 0) {
      if (wantsJson(request)) throw new HttpProblem(422, 'Some fields are missing.', problems)
      return page(reply.code(422), 'checkout', {
        cart: shownCart(priced, currency),
        values: { ...customer, test: text(fields['test']) },
        problems: Object.fromEntries(problems.map(({ field, message }) => [field, message])),
      })
    }
    requireRoom(isAdmin(request))
    return done(
      orders.place(priced, customer, {
        isTest: ['on', '1', 'true'].includes(text(fields['test'])) || fields['test'] === true,
        createdAt: createdAt(fields),
        presentment: currency,
      }),
    )

    // Only the shop itself may place an order in the past.
    function createdAt(fields: Fields): Date {
      const asked = text(fields['created_at'])
      if (!asked) return clock()
      if (!isAdmin(request))
        throw new HttpProblem(403, 'Only the shop itself may say when an order was placed.')
      const at = new Date(asked)
      if (Number.isNaN(at.getTime()) || at > clock())
        throw new HttpProblem(422, 'created_at must be an instant in the past.', [
          { field: 'created_at', message: 'An instant in the past.' },
        ])
      return at
    }
  })

  app.get<{ Params: { token: string } }>('/orders/:token', (request, reply) => {
    const order = orders.byToken(request.params.token)
    return order ? page(reply, 'order', { order: shownOrder(order) }) : reply.callNotFound()
  })
}

function problemsOf(customer: Customer): FieldProblem[] {
  return names.flatMap(field => {
    if (!customer[field]) return [{ field, message: `${labels[field]} is needed.` }]
    if (customer[field].length > longest)
      return [{ field, message: `${labels[field]} is too long.` }]
    return field === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(customer.email)
      ? [{ field, message: 'This is no e-mail address.' }]
      : []
  })
}
