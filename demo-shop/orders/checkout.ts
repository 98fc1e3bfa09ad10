import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { HttpProblem, type FieldProblem } from '../../domain/problem.ts'
import type { AppPixels } from '../apps/app-pixel.ts'
import type { Bearer } from '../apps/bearer.ts'
import type { Cart, Carts, PriceCart } from './carts.ts'
import { completedEvent, noteCompleted } from './completed.ts'
import { expressCookie } from './express.ts'
import { orderFieldsOf, text, wantsJson, type Fields } from '../forms.ts'
import { countries, type LocaleOf } from '../pages/localization.ts'
import { type Order, orderJson, type Customer } from './order.ts'
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
  pixels: AppPixels
  views: PlatformViews
  isAdmin: Bearer
  clock: () => Date
  price: PriceCart
  localeOf: LocaleOf
  /** Throws when no more orders are accepted now (order-room.ts). */
  requireRoom: (isShop: boolean) => void
  /** What a platform puts into the page after the checkout. */
  platformTags: (order: Order) => string
}

/**
 * From cart to order. The order's own page has an address that nobody can guess, so only its buyer
 * knows it.
 */
export const checkout: FastifyPluginAsync<CheckoutOptions> = async (
  app,
  { carts, orders, pixels, views, isAdmin, clock, price, localeOf, requireRoom, platformTags },
) => {
  const page = (reply: FastifyReply, name: string, data: object) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "frame-ancestors 'none'")
      .header('cache-control', 'no-store')
      .send(views.render(name, data))

  // An express checkout has a cart of its own (express.ts).
  const tokenOf = ({ cookies }: FastifyRequest, isExpress: boolean): string =>
    cookies[isExpress ? expressCookie : 'cart'] ?? ''

  app.get('/checkout', (request, reply) => {
    const isExpress = text((request.query as Fields)['express']) === '1'
    const cart = carts.find(tokenOf(request, isExpress))
    const { country, currency } = localeOf(request)
    const priced = cart && price(cart, currency)
    if (!priced?.items.length) return reply.redirect('/cart', 302)
    return page(reply, 'checkout', {
      cart: shownCart(priced, currency),
      isExpress,
      values: { country: countries.find(({ code }) => code === country)?.name },
      problems: {},
    })
  })

  app.post('/checkout', (request, reply) => {
    const isExpress = text(orderFieldsOf(request)['express']) === '1',
      token = tokenOf(request, isExpress)
    const done = (order: ReturnType<Orders['byToken']> & object) => {
      if (isExpress) reply.clearCookie(expressCookie, { path: '/checkout' })
      if (!isExpress || isWholeCart(carts.find(request.cookies['cart']), order))
        reply.clearCookie('cart', { path: '/' })
      noteCompleted(reply, order)
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
    const { currency } = localeOf(request)
    const priced = cart && price(cart, currency)
    if (!priced?.items.length) {
      if (wantsJson(request)) throw new HttpProblem(422, 'The cart is empty.')
      return reply.redirect('/cart', 303)
    }
    const customer = Object.fromEntries(names.map(name => [name, text(fields[name])])) as Customer
    const problems = problemsOf(customer)
    if (problems.length > 0) {
      if (wantsJson(request)) throw new HttpProblem(422, 'Some fields are missing.', problems)
      return page(reply.code(422), 'checkout', {
        cart: shownCart(priced, currency),
        isExpress,
        values: { ...customer, test: text(fields['test']) },
        problems: Object.fromEntries(problems.map(({ field, message }) => [field, message])),
      })
    }
    requireRoom(isAdmin(request))
    return done(
      orders.place(priced, customer, {
        isTest: ['on', '1', 'true'].includes(text(fields['test'])) || fields['test'] === true,
        createdAt: createdAt(fields),
        isExpress,
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
    const completed = order && completedEvent(request, order)
    return order
      ? page(reply, 'order', {
          order: shownOrder(order),
          completed,
          platformTags: completed ? platformTags(order) : '',
          hasPixel: pixels.current() !== null,
        })
      : reply.callNotFound()
  })
}

/** Whether an express order has bought all that is in the cart, which is then done with. */
const isWholeCart = (cart: Cart | null, { lines }: Pick<Order, 'lines'>): boolean =>
  cart !== null &&
  cart.lines.length === lines.length &&
  cart.lines.every(({ id, quantity }) =>
    lines.some(line => line.variant_id === id && line.quantity === quantity),
  )

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
