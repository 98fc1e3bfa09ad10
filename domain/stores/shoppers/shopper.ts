import * as Type from 'typebox'
import { closed, Instant } from '../../api/call.ts'
import { day } from '../../time-units.ts'

const Ids = Type.Array(Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000]+$' }), {
  maxItems: 1_000,
})

/** Whom it is about: by ids of visitors (browsers) and orders, or as the platform knows the customer. */
export const ShopperNamed = Type.Object(
  {
    visitorIds: Type.Optional(Ids),
    orderIds: Type.Optional(Ids),
    /** The platform's name of a customer (demo shop: the e-mail address). It is asked for the customer's orders; the name is not kept. */
    customer: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000]+$' }),
    ),
  },
  closed,
)
export type ShopperNamed = Type.Static<typeof ShopperNamed>

/** Events of a shopper that an export holds, the newest; what older ones told is in the tables that sum them up. */
export const maxExportedEvents = 20_000

/** Everything that is known of a shopper: rows by table, as they are kept. `olderEvents`: events that are left out. */
export const ShopperExport = Type.Object({
  shop: Type.String(),
  asOf: Instant,
  visitors: Type.Array(Type.String()),
  orders: Type.Array(Type.String()),
  olderEvents: Type.Optional(Type.Integer()),
  tables: Type.Record(Type.String(), Type.Array(Type.Record(Type.String(), Type.Unknown()))),
})
export type ShopperExport = Type.Static<typeof ShopperExport>

/** How long an answer to a platform's data request waits to be handed over. Milliseconds. */
export const exportKept = 30 * day
