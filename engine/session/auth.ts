import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { AuthTokens as Tokens } from '../../domain/calls/session.ts'
import { HttpProblem } from '../../domain/problem.ts'
import {
  type AuthTokens,
  hashOf,
  newRefreshToken,
  rotationGrace,
  type Session,
  sessionLife,
} from './auth-tokens.ts'
import type { EngineContext } from '../context.ts'
import { type Caller, isId, type Serve } from '../http/routes.ts'
import { signIn } from '../stores/store-sign-in.ts'
import { isSignInNeeded } from './platform-token-rows.ts'
import { usingOnce } from './used-id-tokens.ts'

/**
 * Serves sign-in with the platform's one-minute token, or with our own refresh token, which can be
 * used once.
 */
export function auth(serve: Serve, context: EngineContext, tokens: AuthTokens): void {
  const { db, clock, platforms, config, log } = context

  serve(
    'auth',
    async ({ body }) => {
      if ('idToken' in body) {
        const { idToken } = body,
          signed = await platforms.signIn(idToken)
        return usingOnce(db, signed, async () => {
          const caller = await signIn(context, signed, idToken)
          const at = clock()
          await db.kysely
            .insertInto('store_sign_ins')
            .values({ store_id: caller.storeId, at })
            .onConflict(oc => oc.column('store_id').doUpdateSet({ at }))
            .execute()
          return issue(caller, {
            user: signed.user,
            endsAt: new Date(at.getTime() + sessionLife),
          })
        })
      }
      const { familyId, caller, session } = await useUp(body.refreshToken)
      return issue(caller, session, familyId)
    },
    { perAddress: config.AUTH_PER_ADDRESS },
  )

  /**
   * Makes new tokens. `renewed`: the family of the refresh token that was used. Null for tokens
   * from before families, undefined for a new sign-in.
   */
  async function issue(caller: Caller, session: Session, renewed?: string | null): Promise<Tokens> {
    const now = clock(),
      familyId = renewed ?? randomUUID()
    const refreshToken = newRefreshToken(caller.storeId, familyId)
    const sessionNumber = await db.kysely.transaction().execute(async trx => {
      // Ending the store's sign-ins updates this row. The lock makes sure that tokens are either
      // issued before that and end with it, or not issued at all.
      const store = await trx
        .selectFrom('stores')
        .select('session_number')
        .where('store_id', '=', caller.storeId)
        .forShare()
        .executeTakeFirstOrThrow()
      if (
        renewed &&
        !(await trx
          .selectFrom('refresh_tokens')
          .select('family_id')
          .where('store_id', '=', caller.storeId)
          .where('family_id', '=', renewed)
          .limit(1)
          .executeTakeFirst())
      )
        throw expired()
      // Only a sign-in gives us access to the shop again, so the next request leads to one.
      if (renewed !== undefined && (await isSignInNeeded(trx, caller.storeId))) throw expired()
      await trx
        .with('old', q =>
          q
            .deleteFrom('refresh_tokens')
            .where('store_id', '=', caller.storeId)
            .where('expires_at', '<=', now),
        )
        .insertInto('refresh_tokens')
        .values({
          store_id: caller.storeId,
          token_hash: hashOf(refreshToken),
          family_id: familyId,
          expires_at: session.endsAt,
          user_id: session.user,
          session_ends_at: session.endsAt,
        })
        .execute()
      return store.session_number
    })
    const { token, expiresAt } = await tokens.access(caller, now, sessionNumber, session)
    return {
      token,
      expiresAt: expiresAt.toISOString(),
      refreshToken,
      refreshExpiresAt: session.endsAt.toISOString(),
      shop: caller.shop,
    }
  }

  /**
   * Marks the token as used. It stays valid for a grace time, so that a client can ask again when
   * the reply was lost. A token that is used later was copied: then all tokens of its sign-in end.
   */
  async function useUp(
    refreshToken: string,
  ): Promise<{ caller: Caller; session: Session; familyId: string | null }> {
    const refused = expired()
    const [storeId = '', familyId = ''] = refreshToken.split('.')
    if (!isId(storeId)) throw refused
    const now = clock()
    const graceEnd = new Date(now.getTime() + rotationGrace)
    const token = await db.kysely
      .updateTable('refresh_tokens as t')
      .from('stores as s')
      .set({
        rotated: true,
        expires_at: sql<Date>`case when t.rotated then t.expires_at else least(t.expires_at, ${graceEnd}) end`,
      })
      .whereRef('s.store_id', '=', 't.store_id')
      .where('t.store_id', '=', storeId)
      .where('t.token_hash', '=', hashOf(refreshToken))
      .where('t.expires_at', '>', now)
      .returning([
        't.store_id as storeId',
        's.shop',
        't.family_id as familyId',
        't.user_id as user',
        't.session_ends_at as endsAt',
      ])
      .executeTakeFirst()
    if (token) {
      const { storeId, shop, familyId, user, endsAt } = token
      return { caller: { storeId, shop }, session: { user, endsAt: endsAt ?? now }, familyId }
    }
    if (isId(familyId)) {
      const numDeletedRows = await db.kysely.transaction().execute(async trx => {
        // A renewal that has looked at its family already holds this row: what it adds is deleted
        // too.
        await trx
          .selectFrom('stores')
          .select('store_id')
          .where('store_id', '=', storeId)
          .forNoKeyUpdate()
          .execute()
        const deleted = await trx
          .deleteFrom('refresh_tokens')
          .where('store_id', '=', storeId)
          .where('family_id', '=', familyId)
          .executeTakeFirst()
        return deleted.numDeletedRows
      })
      if (numDeletedRows > 0)
        log.warn({ storeId }, 'a used refresh token was presented again: its sign-in was ended')
    }
    throw refused
  }
}

const expired = () => new HttpProblem(401, 'The sign-in has expired.')
