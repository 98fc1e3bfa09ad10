import { sql } from 'kysely'
import type { AuthTokens, Bearer } from './auth-tokens.ts'
import type { Db } from '../db/connection.ts'
import type { StoreState } from '../http/answers.ts'
import type { Trx } from '../db/types.ts'

export type LiveTokens = AuthTokens & {
  /**
   * Reads the caller from an access token by its signature alone, without the database. Null as for
   * readAccess.
   */
  readSigned: AuthTokens['readAccess']
  /** Returns the caller with its present rights; null when its sign-in has been ended. */
  standing: (caller: Bearer) => Promise<Bearer | null>
}

/**
 * Access tokens that end when their store's sign-ins are ended. Each token contains the store's
 * session number; ending all sign-ins increases that number. The store's row is read at every call,
 * or after each change of it (`state`), so the end takes effect at once.
 */
export function liveTokens(
  tokens: AuthTokens,
  { kysely }: Db,
  state: StoreState = (_storeId, _key, read) => read(),
): LiveTokens {
  const stateOf = (storeId: string) =>
    kysely
      .selectFrom('stores')
      .select(['session_number', 'status'])
      .where('store_id', '=', storeId)
      .executeTakeFirst()
  const standing = async (caller: Bearer): Promise<Bearer | null> => {
    const store = await state(caller.storeId, 'sign-ins', () => stateOf(caller.storeId))
    if (!store) return null
    if (caller.sessionNumber === store.session_number) return caller
    // The uninstall itself ended this sign-in, and nothing ended sign-ins since. Such a caller may
    // still ask how the uninstall went.
    return store.status === 'uninstalled' && caller.sessionNumber === store.session_number - 1
      ? { ...caller, isLeaving: true }
      : null
  }
  return {
    ...tokens,
    access: async (caller, now, sessionNumber, session) =>
      tokens.access(
        caller,
        now,
        sessionNumber ?? (await stateOf(caller.storeId))?.session_number,
        session,
      ),
    readAccess: async token => {
      const caller = await tokens.readAccess(token)
      return caller && standing(caller)
    },
    readSigned: tokens.readAccess,
    standing,
  }
}

/**
 * Ends every sign-in of a store: deletes its refresh tokens, and makes all existing access tokens
 * invalid.
 */
export async function endSessions(trx: Trx, storeId: string): Promise<void> {
  await trx
    .updateTable('stores')
    .set({ session_number: sql<number>`session_number + 1` })
    .where('store_id', '=', storeId)
    .execute()
  await trx.deleteFrom('refresh_tokens').where('store_id', '=', storeId).execute()
}
