import type { Customer, Order, OrderLine } from './order.ts'

/** An order as the table has it. */
export type OrderRow = Omit<
  Order,
  | 'createdAt'
  | 'updatedAt'
  | 'cancelledAt'
  | 'isTest'
  | 'isExpress'
  | 'customer'
  | 'lines'
  | 'attributes'
  | 'renews'
  | 'presentment'
> & {
  currency: string
  rate: number
  step: number
  ending: number
  has_price_list: number
  created_at: string
  updated_at: string
  cancelled_at: string | null
  is_test: number
  is_express: number
  customer: string
  lines: string
  attributes: string
  renews: string | null
  renews_number: number | null
}

/** Lines of orders from before there were selling plans lack some fields. */
type KeptLine = Omit<OrderLine, 'amount' | 'selling_plan' | 'unit_price'> & Partial<OrderLine>

export const orderOf = ({
  created_at,
  updated_at,
  cancelled_at,
  is_test,
  is_express,
  customer,
  lines,
  attributes,
  renews,
  renews_number,
  currency,
  rate,
  step,
  ending,
  has_price_list,
  ...row
}: OrderRow): Order => ({
  ...row,
  createdAt: created_at,
  updatedAt: updated_at,
  cancelledAt: cancelled_at,
  isTest: is_test === 1,
  isExpress: is_express === 1,
  renews: renews === null ? null : { id: renews, number: renews_number! },
  presentment: { code: currency, rate, step, ending, hasPriceList: has_price_list === 1 },
  customer: JSON.parse(customer) as Customer,
  lines: (JSON.parse(lines) as KeptLine[]).map(line => ({
    amount: line.price * line.quantity,
    selling_plan: null,
    unit_price: line.selling_plan ? null : line.price,
    ...line,
  })),
  attributes: JSON.parse(attributes) as Record<string, string>,
})
