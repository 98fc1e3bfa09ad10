import { sql } from 'kysely'
import { type DiscountCheck, discountKey, invalidDiscount } from '../domain/discount.ts'
import type { EngineContext } from './context.ts'
import type { Serve } from './routes.ts'

/** Limited by address, so that codes are not found by trying. */
export function discounts(serve: Serve, context: EngineContext): void {
  serve('checkDiscount', ({ params: { code } }, { storeId }) => checkDiscount(context, storeId, code), { perAddress: context.config.DISCOUNT_CHECKS_PER_ADDRESS })
}

/** Of a subscription: it was approved, not only asked for. */
export const wasUsed = sql`(current_period_ends_at is not null or status = 'Accepted')`

/**
 * A code that is unknown, expired, used up, or was used by this store before: all of them invalid alike, so that trying
 * tells nothing. It is used by a subscription that was approved, not by one that was only asked for.
 */
export async function checkDiscount({ db: { kysely }, clock }: Pick<EngineContext, 'db' | 'clock'>, storeId: string, code: string): Promise<DiscountCheck> {
  const discount = await kysely.selectFrom('discount_codes').selectAll().where('code', '=', discountKey(code))
    .where(eb => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', clock())])).executeTakeFirst()
  if (!discount) return invalidDiscount
  const { rows: [uses] } = await sql<{ stores: number; own: number }>`
    select count(distinct store_id) as stores, count(*) filter (where store_id = ${storeId}) as own from subscriptions
    where discount_code = ${discount.code} and ${wasUsed}`.execute(kysely)
  if (uses!.own > 0 || (discount.max_stores !== null && uses!.stores >= discount.max_stores)) return invalidDiscount
  return {
    isValid: true, valueType: discount.value_type, value: discount.value,
    ...(discount.plan_id !== null && { planId: discount.plan_id }),
  }
}
