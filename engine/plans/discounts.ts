import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { tryLimits } from '../../domain/plans/code-tries.ts'
import { type DiscountCheck, discountKey, invalidDiscount } from '../../domain/plans/discount.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { day } from '../../domain/time-units.ts'
import type { EngineContext } from '../context.ts'
import type { Reader, Trx } from '../db/types.ts'
import type { Serve } from '../http/routes.ts'
import { discountTries } from './discount-tries.ts'
import { longestAsking } from './subscription-asks.ts'

/**
 * Checks a code for a store. Throws 429 when the code could not be checked, because the store has
 * tried too many others.
 */
export type CheckDiscount = (storeId: string, code: string) => Promise<DiscountCheck>

/**
 * One check for all calls that take a code, so that every wrong code counts, whichever call it came
 * with and whichever process answers it.
 */
function countedCheck(context: EngineContext): CheckDiscount {
  const tries = discountTries(context.db, tryLimits(context.config.DISCOUNT_GUESSES_PER_STORE))
  return async (storeId, code) => {
    // Count the try before its result is known, so that many requests at once cannot get round the
    // limit.
    const taken = await tries.take(storeId, discountKey(code))
    if (taken === null)
      throw new HttpProblem(429, 'The discount code could not be checked.', [
        { field: 'discountCode', message: 'This code could not be checked. Try again later.' },
      ])
    if (taken.wait > 0) await setTimeout(taken.wait)
    const found = await checkDiscount(context, storeId, code)
    if (found.isValid && taken.isNew) await tries.giveBack(storeId)
    return found
  }
}

/** Serves the check of a code. Returns it for the other calls that take a code. */
export function discounts(serve: Serve, context: EngineContext): CheckDiscount {
  const check = countedCheck(context)
  serve('checkDiscount', ({ params: { code } }, { storeId }) => check(storeId, code))
  return check
}

/** SQL condition on a subscription: it was approved, not only asked for. */
export const wasUsed = sql`(current_period_ends_at is not null or status = 'Accepted')`

/** How long a merchant may take to approve a plan that was asked for. Milliseconds. */
const openFor = 2 * day

/**
 * Checks a code. A code that is unknown, expired, used up, or already used by this store gives the
 * same invalid result, so that guessing reveals nothing. A store uses a code when its subscription
 * is approved. An open ask keeps a place of a code for a number of stores.
 */
async function checkDiscount(
  { db: { kysely }, clock }: Pick<EngineContext, 'db' | 'clock'>,
  storeId: string,
  code: string,
): Promise<DiscountCheck> {
  const now = clock()
  const discount = await kysely
    .selectFrom('discount_codes')
    .selectAll()
    .where('code', '=', discountKey(code))
    .where(eb => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .executeTakeFirst()
  if (!discount) return invalidDiscount
  const {
    rows: [own],
  } = await sql<{ uses: number }>`
    select count(*)::int as uses from subscriptions where discount_code = ${discount.code} and store_id = ${storeId} and ${wasUsed}`.execute(
    kysely,
  )
  if (own!.uses > 0 || !(await hasRoom(kysely, now, storeId, discount))) return invalidDiscount
  return {
    isValid: true,
    valueType: discount.value_type,
    value: discount.value,
    ...(discount.plan_id !== null && { planId: discount.plan_id }),
  }
}

/**
 * Keeps others from asking with this code until the transaction ends. Throws HttpProblem 400 if
 * other stores have taken all its places since it was checked.
 */
export async function requireRoom(
  trx: Trx,
  now: Date,
  storeId: string,
  code: string,
): Promise<void> {
  const discount = await trx
    .selectFrom('discount_codes')
    .select(['code', 'max_stores'])
    .where('code', '=', code)
    .where('max_stores', 'is not', null)
    .forUpdate()
    .executeTakeFirst()
  if (discount && !(await hasRoom(trx, now, storeId, discount))) throw invalidCode()
}

/**
 * Whether the stores that used the code, or that may still approve a plan with it, leave a place
 * for this store (decision 007).
 */
async function hasRoom(
  on: Reader,
  now: Date,
  storeId: string,
  { code, max_stores }: { code: string; max_stores: number | null },
): Promise<boolean> {
  if (max_stores === null) return true
  const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds)
  const {
    rows: [others],
  } = await sql<{ stores: number }>`
    select count(distinct store_id)::int as stores from (
      select store_id from subscriptions where discount_code = ${code} and (${wasUsed} or (status = 'Pending' and created_at > ${ago(openFor)}))
      union all select store_id from subscription_asks where discount_code = ${code} and confirmation_url is null and asked_at > ${ago(longestAsking)}) s
    where store_id <> ${storeId}`.execute(on)
  return others!.stores < max_stores
}

export const invalidCode = (): HttpProblem =>
  new HttpProblem(400, 'This discount code is not valid.', [
    { field: 'discountCode', message: 'This code is not valid.' },
  ])
