import { sql } from 'kysely'
import { type DiscountCheck, discountKey, invalidDiscount } from '../../domain/plans/discount.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { hour } from '../../domain/time-units.ts'
import type { EngineContext } from '../context.ts'
import { eventBudget } from '../http/event-budget.ts'
import type { Serve } from '../http/routes.ts'

/**
 * Checks a code for a store. Throws 429 when the store has tried too many invalid codes, so that
 * codes cannot be guessed.
 */
export type CheckDiscount = (storeId: string, code: string) => Promise<DiscountCheck>

/**
 * One check for all calls that take a code, so that every wrong code counts, whichever call it came
 * with.
 */
function discountGuesses(context: EngineContext): CheckDiscount {
  const wrong = eventBudget(undefined, hour),
    limit = context.config.DISCOUNT_GUESSES_PER_STORE
  return async (storeId, code) => {
    // Count the guess before the result is known, so that many requests at once cannot get round
    // the limit.
    if (wrong.take(storeId, 1, limit) > 0)
      throw new HttpProblem(
        429,
        'Too many codes were tried that are not valid. Try again in an hour.',
      )
    const found = await checkDiscount(context, storeId, code)
    if (found.isValid) wrong.take(storeId, -1, limit)
    return found
  }
}

/** Serves the check of a code. Returns it for the other calls that take a code. */
export function discounts(serve: Serve, context: EngineContext): CheckDiscount {
  const check = discountGuesses(context)
  serve('checkDiscount', ({ params: { code } }, { storeId }) => check(storeId, code))
  return check
}

/** SQL condition on a subscription: it was approved, not only asked for. */
export const wasUsed = sql`(current_period_ends_at is not null or status = 'Accepted')`

/**
 * Checks a code. A code that is unknown, expired, used up, or already used by this store gives the
 * same invalid result, so that guessing reveals nothing. A subscription uses a code when it is
 * approved, not when it is only asked for.
 */
async function checkDiscount(
  { db: { kysely }, clock }: Pick<EngineContext, 'db' | 'clock'>,
  storeId: string,
  code: string,
): Promise<DiscountCheck> {
  const discount = await kysely
    .selectFrom('discount_codes')
    .selectAll()
    .where('code', '=', discountKey(code))
    .where(eb => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', clock())]))
    .executeTakeFirst()
  if (!discount) return invalidDiscount
  const {
    rows: [uses],
  } = await sql<{ stores: number; own: number }>`
    select count(distinct store_id) as stores, count(*) filter (where store_id = ${storeId}) as own from subscriptions
    where discount_code = ${discount.code} and ${wasUsed}`.execute(kysely)
  if (uses!.own > 0 || (discount.max_stores !== null && uses!.stores >= discount.max_stores))
    return invalidDiscount
  return {
    isValid: true,
    valueType: discount.value_type,
    value: discount.value,
    ...(discount.plan_id !== null && { planId: discount.plan_id }),
  }
}
