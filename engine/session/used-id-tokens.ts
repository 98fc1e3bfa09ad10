import { createHash } from 'node:crypto'
import { HttpProblem } from '../../domain/problem.ts'
import { minute } from '../../domain/time-units.ts'
import type { Db } from '../db/connection.ts'

/** What makes a sign-in token of a platform the one that it is. */
export type IdTokenName = { platform: string; jti: string; expiresAt: Date }

/** Adapters accept a token some seconds after its end; it is remembered for longer than that. */
const longer = minute

/**
 * Does a sign-in with a token that may be used once, in whatever process. Throws HttpProblem 401
 * when it was used. When the work fails because of us or the shop, the token may be used again:
 * then the merchant can reload the page.
 */
export async function usingOnce<T>(
  { kysely }: Db,
  { platform, jti, expiresAt }: IdTokenName,
  work: () => Promise<T>,
): Promise<T> {
  const token_hash = createHash('sha256').update(jti).digest('base64url')
  // Platforms say when a token ends, so their time counts, not the time that tests and seeding set.
  const at = new Date()
  await kysely.deleteFrom('used_id_tokens').where('expires_at', '<', at).execute()
  const first = await kysely
    .insertInto('used_id_tokens')
    .values({ platform, token_hash, expires_at: new Date(expiresAt.getTime() + longer) })
    .onConflict(oc => oc.doNothing())
    .returning('token_hash')
    .executeTakeFirst()
  if (!first) throw new HttpProblem(401, 'The sign-in token was used already.')
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof HttpProblem) || error.status >= 500)
      await kysely
        .deleteFrom('used_id_tokens')
        .where('platform', '=', platform)
        .where('token_hash', '=', token_hash)
        .execute()
    throw error
  }
}
