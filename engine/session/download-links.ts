import { randomBytes } from 'node:crypto'
import { HttpProblem } from '../../domain/problem.ts'
import { linkSeconds } from '../../domain/embedding/download-path.ts'
import type { EngineContext } from '../context.ts'
import { isId, type Serve } from '../http/routes.ts'
import { hashOf } from './auth-tokens.ts'
import type { LiveTokens } from './live-sessions.ts'
import { sealOf } from './seal.ts'

/**
 * Links that download one file once (decision 076). A browser that keeps no cookie of the app
 * cannot send its session when it downloads a file, so the page asks for a link before. The link
 * stands for the access token of the session that made it, for one path: it works no longer than
 * that session. The token is sealed with the link, so the database alone does not open it.
 */
export function downloadLinks(
  serve: Serve,
  { db, clock, config }: Pick<EngineContext, 'db' | 'clock' | 'config'>,
  tokens: LiveTokens,
): void {
  serve('makeDownloadLink', async ({ body: { path } }, { storeId, token }) => {
    if (token === undefined) throw gone()
    const now = clock(),
      link = `${storeId}.${randomBytes(32).toString('base64url')}`,
      expiresAt = new Date(now.getTime() + linkSeconds * 1000)
    await db.kysely
      .with('old', q =>
        q
          .deleteFrom('download_links')
          .where('store_id', '=', storeId)
          .where('expires_at', '<=', now),
      )
      .insertInto('download_links')
      .values({
        store_id: storeId,
        link_hash: hashOf(link),
        path,
        sealed_token: sealOf([link], 'downloads').close(path, token),
        expires_at: expiresAt,
      })
      .execute()
    return { link, expiresAt: expiresAt.toISOString() }
  })

  serve(
    'useDownloadLink',
    async ({ body: { link, path } }) => {
      const [storeId = ''] = link.split('.')
      if (!isId(storeId)) throw gone()
      // Deleted first, so that of two requests at once only one gets the file. A link that is tried
      // for another file is used up too.
      const row = await db.kysely
        .deleteFrom('download_links')
        .where('store_id', '=', storeId)
        .where('link_hash', '=', hashOf(link))
        .returning(['path', 'sealed_token', 'expires_at'])
        .executeTakeFirst()
      if (!row || row.path !== path || row.expires_at <= clock()) throw gone()
      const token = sealOf([link], 'downloads').open(path, row.sealed_token)
      // The session may have ended since.
      if (token === null || !(await tokens.readAccess(token))) throw gone()
      return { token }
    },
    { perAddress: config.AUTH_PER_ADDRESS },
  )
}

const gone = () =>
  new HttpProblem(
    410,
    'This download link was used already or has expired. Go back to the page and download the file again.',
  )
