import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'

export type Act = {
  at: Date
  /** The member of staff; null for the system itself, or somebody who was not signed in. */
  by: string | null
  /** What was done, as it is shown: "Renamed". */
  act: string
  /** Id of what it was done to: a member of staff, a store; or a code. */
  about?: string
  /** Particulars in a person's words. Never a token or a password. */
  detail?: string
}

/** Notes what a member of staff did. Part of the transaction that does it, so that neither is there without the other. */
export async function audit(
  on: Kysely<Schema>,
  { at, by, act, about, detail }: Act,
): Promise<void> {
  await on
    .insertInto('staff_acts')
    .values({ at, user_id: by, act, about: about ?? null, detail: detail ?? null })
    .execute()
}
