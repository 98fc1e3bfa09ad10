import { createHash } from 'node:crypto'
import type { Customer, Order } from '../../orders/order.ts'
import type { Orders } from '../../orders/orders.ts'
import { connection, type PageArgs } from '../api/connection.ts'
import { gid } from '../api/gid.ts'

/** The platform's number for a buyer: the shop itself knows buyers by their e-mail address. */
export const customerNumber = (email: string): number =>
  createHash('sha256').update(email).digest().readUIntBE(0, 6)

/** The buyer of an order. */
export function customerAnswer(
  { email, name }: Customer,
  orders: Orders,
  orderAnswer: (order: Order) => object,
): object {
  const [firstName = '', ...rest] = name.split(' ')
  const number = customerNumber(email)
  return {
    __typename: 'Customer',
    id: gid('Customer', number),
    legacyResourceId: String(number),
    displayName: name,
    firstName,
    lastName: rest.join(' ') || null,
    email,
    defaultEmailAddress: { emailAddress: email },
    numberOfOrders: () => String(orders.ofCustomer(email).length),
    orders: (page: PageArgs) =>
      connection(orders.ofCustomer(email), page, order => String(order.number), orderAnswer),
  }
}
