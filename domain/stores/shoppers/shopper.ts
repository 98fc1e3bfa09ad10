import * as Type from 'typebox'
import { closed, Instant } from '../../api/call.ts'
import { day } from '../../time-units.ts'

const Ids = Type.Array(Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000]+$' }), {
  maxItems: 1_000,
})

/**
 * Names a shopper by ids of visitors (browsers) and orders, or by the platform's name of the
 * customer.
 */
export const ShopperNamed = Type.Object(
  {
    visitorIds: Type.Optional(Ids),
    orderIds: Type.Optional(Ids),
    /**
     * The platform's name of a customer, for example the e-mail address. We use it to ask the
     * platform for the customer's orders and do not keep it.
     */
    customer: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000]+$' }),
    ),
  },
  closed,
)
export type ShopperNamed = Type.Static<typeof ShopperNamed>

/**
 * Maximum number of a shopper's events in an export: the newest. The older ones are summed up in
 * other tables.
 */
export const maxExportedEvents = 20_000

/**
 * Everything that we know about a shopper: rows by table, as they are stored. `olderEvents`: number
 * of events that are left out.
 */
export const ShopperExport = Type.Object({
  shop: Type.String(),
  asOf: Instant,
  visitors: Type.Array(Type.String()),
  orders: Type.Array(Type.String()),
  olderEvents: Type.Optional(Type.Integer()),
  tables: Type.Record(Type.String(), Type.Array(Type.Record(Type.String(), Type.Unknown()))),
})
export type ShopperExport = Type.Static<typeof ShopperExport>

/**
 * How long an answer to a platform's data request is kept until staff hand it over. Milliseconds.
 */
export const exportKept = 30 * day
