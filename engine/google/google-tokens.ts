import { minute } from '../../domain/time-units.ts'
import type { EngineContext } from '../context.ts'
import type { Google, Tokens } from './google.ts'
import type { Seal } from '../session/seal.ts'

export type GoogleTokens = {
  /** Stores the tokens after the merchant gave us access. */
  keep: (storeId: string, tokens: Tokens & { refresh_token: string }) => Promise<void>
  /**
   * An access token that is valid for at least a minute; null when we have no access. `renew`
   * fetches a new one in any case.
   */
  access: (storeId: string, renew?: 'renew') => Promise<string | null>
  refresh: (storeId: string) => Promise<string | null>
}

/** An access token that ends sooner than this, in milliseconds, is renewed first. */
const margin = minute

export function googleTokens(
  { db, clock }: Pick<EngineContext, 'db' | 'clock'>,
  google: Google,
  seal: Seal,
): GoogleTokens {
  const renewing = new Map<string, Promise<string | null>>()
  const row = (storeId: string) =>
    db.kysely
      .selectFrom('analytics_settings')
      .select(['refresh_token', 'access_token', 'access_expires_at'])
      .where('store_id', '=', storeId)
      .executeTakeFirst()
  const expiry = (tokens: Tokens) => new Date(clock().getTime() + tokens.expires_in * 1000)
  const opened = (storeId: string, sealed: Uint8Array | null | undefined) =>
    sealed ? seal.open(storeId, sealed) : null
  const stillGood = (storeId: string, known: Awaited<ReturnType<typeof row>>) =>
    known?.access_expires_at && known.access_expires_at.getTime() > clock().getTime() + margin
      ? opened(storeId, known.access_token)
      : null

  async function renew(storeId: string, wish?: 'renew'): Promise<string | null> {
    const known = await row(storeId)
    // The caller may have read the row before another renewal was stored.
    const renewed = wish ? null : stillGood(storeId, known)
    if (renewed) return renewed
    const token = opened(storeId, known?.refresh_token)
    if (!token || !google.client) return null
    const answer = await google.token({
      grant_type: 'refresh_token',
      refresh_token: token,
      client_id: google.client.id,
      client_secret: google.client.secret,
    })
    // While we waited, the merchant may have connected again. Then the row has better tokens.
    const change = db.kysely
      .updateTable('analytics_settings')
      .where('store_id', '=', storeId)
      .where('refresh_token', '=', known!.refresh_token)
    if ('refused' in answer) {
      // The merchant revoked our access at Google. It stays revoked until they connect again.
      if (answer.refused === 'invalid_grant')
        await change
          .set({ refresh_token: null, access_token: null, access_expires_at: null, enabled: false })
          .execute()
      return stillGood(storeId, await row(storeId))
    }
    // Seal the refresh token again too, because an older secret may have sealed it.
    await change
      .set({
        refresh_token: seal.close(storeId, token),
        access_token: seal.close(storeId, answer.tokens.access_token),
        access_expires_at: expiry(answer.tokens),
      })
      .execute()
    return stillGood(storeId, await row(storeId)) ?? answer.tokens.access_token
  }

  return {
    keep: async (storeId, tokens) => {
      const kept = {
        refresh_token: seal.close(storeId, tokens.refresh_token),
        access_token: seal.close(storeId, tokens.access_token),
        access_expires_at: expiry(tokens),
        connected_at: clock(),
      }
      await db.kysely
        .insertInto('analytics_settings')
        .values({ store_id: storeId, measurement_ids: '[]', ...kept })
        .onConflict(oc => oc.column('store_id').doUpdateSet(kept))
        .execute()
    },
    access: async (storeId, wish) => {
      const known = await row(storeId)
      if (!known) return null
      const token = wish ? null : stillGood(storeId, known)
      if (token) return token
      // One renewal at a time. Calls that arrive meanwhile get the same token.
      let flight = renewing.get(storeId)
      if (!flight)
        renewing.set(
          storeId,
          (flight = renew(storeId, wish).finally(() => renewing.delete(storeId))),
        )
      return flight
    },
    refresh: async storeId => opened(storeId, (await row(storeId))?.refresh_token),
  }
}
