import { HttpProblem } from '../../domain/problem.ts'
import { sentFrom, sentOnMessage } from '../../domain/tests/redirect-chains.ts'
import type { EngineContext } from '../context.ts'
import { sentNow } from '../script/script-winners.ts'
import { shopHosts } from './draft-rows.ts'
import { requirePage } from './redirect-urls.ts'

/**
 * The path of a page that a redirect test names: a page of the shop on which visitors stay. Throws
 * HttpProblem 400 at `field` when the shop has no such page, or when an applied redirect of ours
 * sends its visitors on.
 */
export async function requireTestedPage(
  { platform, db }: Pick<EngineContext, 'platform' | 'db'>,
  storeId: string,
  text: string,
  field: Parameters<typeof requirePage>[3],
): Promise<string> {
  const path = await requirePage(platform, await shopHosts(db.kysely, storeId), text, field)
  const onFrom = sentFrom(path, await sentNow(db.kysely, storeId))
  if (!onFrom) return path
  const message = `${sentOnMessage(path, onFrom)} Enter ${onFrom.variant} instead.`
  throw new HttpProblem(400, message, [{ field, message }])
}
