import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { HttpProblem } from '../../../domain/problem.ts'

const Order = Type.Union([
  Type.String({ minLength: 1, maxLength: 64 }),
  Type.Integer({ minimum: 0 }),
])
const Orders = Type.Optional(Type.Array(Order, { maxItems: 1_000 }))
const check = Compile(Type.Object({ orders_requested: Orders, orders_to_redact: Orders }))

/**
 * Reads the order ids from a customers/data_request or customers/redact webhook. We read nothing
 * else about the customer. Throws HttpProblem 400.
 */
export function parseDemoShopper(body: unknown): { orderIds: string[] } {
  if (!check.Check(body))
    throw new HttpProblem(400, 'The list of orders in the request is not valid.', [
      {
        field: check.Errors(body)[0]?.instancePath.slice(1).replaceAll('/', '.') ?? '',
        message: 'is not valid',
      },
    ])
  return {
    orderIds: [...(body.orders_requested ?? []), ...(body.orders_to_redact ?? [])].map(String),
  }
}
