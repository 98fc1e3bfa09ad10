import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { decimalMoney, minorFromDecimal } from '../../domain/money.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { Bearer } from '../apps/bearer.ts'
import { fieldsOf, integer, text, type Fields } from '../forms.ts'
import { orderJson, taxesOf, type Order } from './order.ts'
import type { Orders } from './orders.ts'
import type { PlatformViews } from '../admin/platform-views.ts'
import { shop } from '../shop.ts'
import { shownOrder } from '../pages/shown.ts'

export type OrdersAdminOptions = { orders: Orders; views: PlatformViews; isAdmin: Bearer }

/**
 * What the back office does with orders: show one, refund, make due renewals. Programs can do the
 * same with a bearer token.
 */
export const ordersAdmin: FastifyPluginAsync<OrdersAdminOptions> = async (
  app,
  { orders, views, isAdmin },
) => {
  const page = (reply: FastifyReply, order: Order, values: { amount: string; problem?: string }) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "frame-ancestors 'none'")
      .header('cache-control', 'no-store')
      .send(
        views.render('admin-order', {
          at: 'orders',
          order,
          shown: order.presentment.code === shop.currency ? null : shownOrder(order),
          taxes: taxesOf(order),
          left: order.cancelledAt === null ? order.subtotal - order.refunded : 0,
          ...values,
        }),
      )
  const whole = ({ subtotal, refunded }: Order): string =>
    decimalMoney(subtotal - refunded, shop.currency)
  type ByNumber = { Params: { number: string } }

  app.get<ByNumber>('/admin/orders/:number', (request, reply) => {
    const order = orders.byNumber(integer(request.params.number))
    return order ? page(reply, order, { amount: whole(order) }) : reply.callNotFound()
  })
  app.post<ByNumber>('/admin/orders/:number/refund', (request, reply) => {
    const order = orders.byNumber(integer(request.params.number))
    if (!order) return reply.callNotFound()
    const fields = fieldsOf(request)
    try {
      refund(order, fields)
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error
      return page(reply.code(error.status), orders.byId(order.id)!, {
        amount: text(fields['amount']),
        problem: error.message,
      })
    }
    return reply.redirect(`/admin/orders/${order.number}`, 303)
  })
  app.post<ByNumber>('/admin/orders/:number/cancel', (request, reply) => {
    const order = orders.byNumber(integer(request.params.number))
    if (!order) return reply.callNotFound()
    orders.cancel(order.id)
    return reply.redirect(`/admin/orders/${order.number}`, 303)
  })
  /**
   * What a platform does when a customer asks: it requests the customer's data from apps, or tells
   * them to erase it.
   */
  app.post<ByNumber>('/admin/orders/:number/customer', (request, reply) => {
    const order = orders.byNumber(integer(request.params.number)),
      asked = text(fieldsOf(request)['ask'])
    if (!order || !['data', 'erase'].includes(asked)) return reply.callNotFound()
    orders.tellOfCustomer(
      asked === 'erase' ? 'customers/redact' : 'customers/data_request',
      order.customer.email,
    )
    return reply.redirect(`/admin/orders/${order.number}`, 303)
  })
  app.post('/admin/renewals', async (_, reply) => {
    await orders.renew()
    return reply.redirect('/admin', 303)
  })

  app.post<{ Params: { id: string } }>('/admin/api/orders/:id/refunds', request => {
    ask(isAdmin(request))
    const order = orders.byId(request.params.id)
    if (!order) throw new HttpProblem(404, 'There is no such order.')
    return orderJson(refund(order, fieldsOf(request)))
  })
  app.post<{ Params: { id: string } }>('/admin/api/orders/:id/cancel', request => {
    ask(isAdmin(request))
    return orderJson(orders.cancel(request.params.id))
  })
  app.post('/admin/api/renewals', async request => {
    ask(isAdmin(request))
    return { made: await orders.renew() }
  })

  /**
   * Refunds an amount. `already`: what was refunded before, according to the form that asks for
   * this.
   */
  function refund(order: Order, fields: Fields): Order {
    const amount = minorFromDecimal(text(fields['amount']), shop.currency)
    if (amount === null)
      throw new HttpProblem(422, 'This is no amount of money.', [
        { field: 'amount', message: 'An amount such as 12.50.' },
      ])
    const already =
      fields['already'] === undefined
        ? order.refunded
        : (minorFromDecimal(text(fields['already']), shop.currency) ?? Number.NaN)
    return orders.refund(order.id, amount, already)
  }
}

function ask(isAdmin: boolean): void {
  if (!isAdmin) throw new HttpProblem(401, 'This needs the app’s secret as a bearer.')
}
