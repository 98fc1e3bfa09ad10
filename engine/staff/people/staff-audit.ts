import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'

export type Act = {
  at: Date
  /** The member of staff; null for the system itself, or a person who was not signed in. */
  by: string | null
  /** What was done, as shown on the screen: "Renamed". */
  act: string
  /** The id of the object: a member of staff or a store; or a discount code. */
  about?: string
  /** Details in plain words. Never a token or a password. */
  detail?: string
}

/**
 * Writes an act of a member of staff to the audit log. Call it in the transaction that does the
 * act, so that both are stored or neither.
 */
export async function audit(
  on: Kysely<Schema>,
  { at, by, act, about, detail }: Act,
): Promise<void> {
  await on
    .insertInto('staff_acts')
    .values({ at, user_id: by, act, about: about ?? null, detail: detail ?? null })
    .execute()
}
