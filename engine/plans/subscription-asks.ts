import { minute } from '../../domain/time-units.ts'
import type { Reader } from '../db/types.ts'

/** Requests for the same plan, code and page within this time get the same answer. Milliseconds. */
const sameMoment = minute
/**
 * A request to the platform without an answer after this time belongs to a dead process.
 * Milliseconds.
 */
export const longestAsking = 15_000

/** What a store asks the platform for. A store has at most one latest ask, in any process. */
export type Ask = {
  storeId: string
  planId: string
  code: string | null
  returnPath: string
  at: Date
}

/** Makes this the store's latest ask. Returns false if the same was asked for a moment ago. */
export async function claimAsk(on: Reader, ask: Ask): Promise<boolean> {
  const { storeId, planId, code, returnPath, at } = ask
  const ago = (milliseconds: number) => new Date(at.getTime() - milliseconds)
  const row = {
    plan_id: planId,
    discount_code: code,
    return_path: returnPath,
    asked_at: at,
    confirmation_url: null,
  }
  const claimed = await on
    .insertInto('subscription_asks')
    .values({ store_id: storeId, ...row })
    .onConflict(oc =>
      oc
        .column('store_id')
        .doUpdateSet(row)
        .where(eb =>
          eb.or([
            eb('subscription_asks.plan_id', '!=', planId),
            eb('subscription_asks.discount_code', 'is distinct from', code),
            eb('subscription_asks.return_path', 'is distinct from', returnPath),
            eb('subscription_asks.asked_at', '<=', ago(sameMoment)),
            eb.and([
              eb('subscription_asks.confirmation_url', 'is', null),
              eb('subscription_asks.asked_at', '<=', ago(longestAsking)),
            ]),
          ]),
        ),
    )
    .returning('store_id')
    .executeTakeFirst()
  return claimed !== undefined
}

/** The address that the latest ask got, if it was for the same; null while there is none. */
export async function answeredAsk(
  on: Reader,
  { storeId, planId, code, returnPath }: Ask,
): Promise<string | null> {
  const asked = await on
    .selectFrom('subscription_asks')
    .select('confirmation_url')
    .where('store_id', '=', storeId)
    .where('plan_id', '=', planId)
    .where('discount_code', 'is not distinct from', code)
    .where('return_path', '=', returnPath)
    .executeTakeFirst()
  return asked?.confirmation_url ?? null
}

/** Stores the address where the merchant approves, unless another ask has replaced this one. */
export async function answerAsk(on: Reader, ask: Ask, confirmationUrl: string): Promise<void> {
  await on
    .updateTable('subscription_asks')
    .set({ confirmation_url: confirmationUrl })
    .where('store_id', '=', ask.storeId)
    .where('asked_at', '=', ask.at)
    // Another ask may have come in the same millisecond: its address leads to another price.
    .where('plan_id', '=', ask.planId)
    .where('discount_code', 'is not distinct from', ask.code)
    .where('return_path', '=', ask.returnPath)
    .execute()
}

/** Takes back an ask that failed, unless another one has replaced it. */
export async function dropAsk(on: Reader, ask: Ask): Promise<void> {
  await on
    .deleteFrom('subscription_asks')
    .where('store_id', '=', ask.storeId)
    .where('asked_at', '=', ask.at)
    .where('plan_id', '=', ask.planId)
    .where('discount_code', 'is not distinct from', ask.code)
    .where('return_path', '=', ask.returnPath)
    .where('confirmation_url', 'is', null)
    .execute()
}
