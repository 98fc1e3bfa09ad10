import { sql } from 'kysely'
import type { AuthTokens, Bearer } from './auth-tokens.ts'
import type { Db } from '../db/connection.ts'
import type { Trx } from '../db/types.ts'

export type LiveTokens = AuthTokens & {
  /** Whose an access token is by its signature alone, which asks no database. Null as readAccess. */
  readSigned: AuthTokens['readAccess']
  /** What that caller may do now: null where its sign-in has been ended since. */
  standing: (caller: Bearer) => Promise<Bearer | null>
}

/**
 * Access tokens as long as their store's sign-ins have not been ended: each carries the number that its store had, and
 * ending all of them gives the store the next one. The store is asked at every call, so that it holds at once.
 */
export function liveTokens(tokens: AuthTokens, { kysely }: Db): LiveTokens {
  const stateOf = (storeId: string) =>
    kysely
      .selectFrom('stores')
      .select(['session_number', 'status'])
      .where('store_id', '=', storeId)
      .executeTakeFirst()
  const standing = async (caller: Bearer): Promise<Bearer | null> => {
    const store = await stateOf(caller.storeId)
    if (!store) return null
    if (caller.sessionNumber === store.session_number) return caller
    // What the uninstalling itself has ended, and nothing since, may still learn how that went.
    return store.status === 'uninstalled' && caller.sessionNumber === store.session_number - 1
      ? { ...caller, isLeaving: true }
      : null
  }
  return {
    ...tokens,
    access: async (caller, now, sessionNumber) =>
      tokens.access(caller, now, sessionNumber ?? (await stateOf(caller.storeId))?.session_number),
    readAccess: async token => {
      const caller = await tokens.readAccess(token)
      return caller && standing(caller)
    },
    readSigned: tokens.readAccess,
    standing,
  }
}

/** Ends every sign-in of a store: refresh tokens go, and access tokens of before are refused from now on. */
export async function endSessions(trx: Trx, storeId: string): Promise<void> {
  await trx
    .updateTable('stores')
    .set({ session_number: sql<number>`session_number + 1` })
    .where('store_id', '=', storeId)
    .execute()
  await trx.deleteFrom('refresh_tokens').where('store_id', '=', storeId).execute()
}
