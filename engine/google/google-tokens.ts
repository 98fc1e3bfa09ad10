import { minute } from '../../domain/time-units.ts'
import type { EngineContext } from '../context.ts'
import type { Google, Tokens } from './google.ts'
import type { Seal } from '../session/seal.ts'

export type GoogleTokens = {
  /** After the merchant let us in. */
  keep: (storeId: string, tokens: Tokens & { refresh_token: string }) => Promise<void>
  /** One that is good for a minute at least; null when we are not, or no longer, let in. `renew` asks for another in any case. */
  access: (storeId: string, renew?: 'renew') => Promise<string | null>
  refresh: (storeId: string) => Promise<string | null>
}

/** An access token that ends sooner is renewed first. Milliseconds. */
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
    // Whoever asked had read the row before another's renewal was written.
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
    const { kysely } = db
    if ('refused' in answer) {
      // The merchant took our access back at Google's: it stays so until they connect again.
      if (answer.refused === 'invalid_grant')
        await kysely
          .updateTable('analytics_settings')
          .set({ refresh_token: null, access_token: null, access_expires_at: null, enabled: false })
          .where('store_id', '=', storeId)
          .execute()
      return null
    }
    // The lasting token too: it may be sealed by an older secret still.
    await kysely
      .updateTable('analytics_settings')
      .set({
        refresh_token: seal.close(storeId, token),
        access_token: seal.close(storeId, answer.tokens.access_token),
        access_expires_at: expiry(answer.tokens),
      })
      .where('store_id', '=', storeId)
      .execute()
    return answer.tokens.access_token
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
      // One renewal at a time: whoever asks meanwhile gets the same.
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
