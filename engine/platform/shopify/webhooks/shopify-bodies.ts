import * as Type from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { HttpProblem } from '../../../../domain/problem.ts'
import { idOf } from '../client/shopify-ids.ts'

const Id = Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: '^[0-9]{1,20}$' })])
const Ids = Type.Optional(Type.Union([Type.Array(Id, { maxItems: 10_000 }), Type.Null()]))

const checkOrder = Compile(Type.Object({ id: Id }))
const checkRefund = Compile(Type.Object({ order_id: Id }))
const checkProduct = Compile(Type.Object({ id: Id }))
const checkShopper = Compile(Type.Object({ orders_requested: Ids, orders_to_redact: Ids }))
const checkSubscription = Compile(
  Type.Object({
    app_subscription: Type.Object({
      admin_graphql_api_id: Type.String({
        pattern: '^gid://shopify/AppSubscription/[A-Za-z0-9_-]+',
      }),
    }),
  }),
)

/** The order that a delivery about orders or refunds names. Throws HttpProblem 400. */
export const orderIdIn = (body: unknown, topic: string): string =>
  topic.startsWith('refunds/')
    ? String(read(checkRefund, body, 'refund').order_id)
    : String(read(checkOrder, body, 'order').id)

/** The product that a delivery names. Throws HttpProblem 400. */
export const productIn = (body: unknown): { productId: string } => ({
  productId: String(read(checkProduct, body, 'product').id),
})

/** The orders that a customer's request is about. Throws HttpProblem 400. */
export function ordersIn(body: unknown): { orderIds: string[] } {
  const { orders_requested, orders_to_redact } = read(checkShopper, body, 'request')
  return { orderIds: [...(orders_requested ?? []), ...(orders_to_redact ?? [])].map(String) }
}

/** The subscription that a delivery names. Throws HttpProblem 400. */
export const subscriptionIn = (body: unknown): { id: string } => ({
  id: idOf(read(checkSubscription, body, 'subscription').app_subscription.admin_graphql_api_id),
})

function read<S extends Type.TSchema>(
  check: Validator<Type.TProperties, S>,
  body: unknown,
  what: string,
): Type.Static<S> {
  if (check.Check(body)) return body
  const field = check.Errors(body)[0]?.instancePath.slice(1).replaceAll('/', '.') || 'id'
  throw new HttpProblem(400, `The ${what}’s ${field} is not valid.`, [
    { field, message: 'is not valid' },
  ])
}
