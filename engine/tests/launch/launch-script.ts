import { scriptOffWords } from '../../../domain/script/script-state.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import { good, type LaunchCheck, launchCheck } from '../../../domain/tests/launch-check.ts'
import type { EngineContext } from '../../context.ts'
import type { DraftRow } from '../../drafts/draft-rows.ts'
import type { Platform } from '../../platform/adapter.ts'

const unreachable = launchCheck('script', 'warn', 'Your shop is not answering right now.', {
  remedy: 'Check again in a minute.',
})

/** The line when the pages of the live theme, or of the variant's theme, do not load the script. */
async function switchCheck(
  platform: Platform,
  shop: string,
  themeId: string | null | undefined,
): Promise<LaunchCheck | null> {
  try {
    const live = await platform.scriptState(shop)
    if (live.state === 'off') return offCheck(scriptOffWords.message, live.switchAt)
    if (!themeId || live.state === 'notNeeded') return null
    const other = await platform.scriptState(shop, themeId)
    return other.state === 'off'
      ? offCheck('The Twinshelf script is switched off in the variant’s theme.', other.switchAt)
      : null
  } catch (error) {
    // The check of the themes says that a theme is gone.
    return error instanceof HttpProblem && error.status === 404 ? null : unreachable
  }
}

const offCheck = (message: string, fixAt: string | null): LaunchCheck =>
  launchCheck('script', 'bad', message, {
    remedy: 'Turn it on in the theme’s settings, then check again.',
    fixAt,
  })

type Checked = Pick<DraftRow, 'store_id' | 'kind' | 'variant_target'>

/**
 * Checks that the newest script is on the shop. A browser checks separately whether pages load it.
 */
export async function scriptCheck(
  { db: { kysely }, platform }: Pick<EngineContext, 'db' | 'platform'>,
  { store_id: storeId, kind, variant_target: variant }: Checked,
): Promise<LaunchCheck> {
  const published = () =>
    kysely
      .selectFrom('stores as s')
      .leftJoin('published_scripts as p', 'p.store_id', 's.store_id')
      .select(['s.shop', 'p.url', 'p.etag', 'p.wanted', 'p.published'])
      .where('s.store_id', '=', storeId)
      .executeTakeFirstOrThrow()
  const store = await published()
  const off = await switchCheck(platform, store.shop, kind === 'Theme' ? variant?.themeId : null)
  if (off) return off
  // The first launch publishes it.
  if (!store.url) return good('script', 'Will be installed when you launch.')
  const onItsWay = launchCheck('script', 'warn', 'A newer version is still being installed.', {
    remedy: 'Check again in a minute. Your launch is published as soon as the shop accepts it.',
  })
  if (store.wanted! > store.published!) return onItsWay
  const finding = await platform.scriptFinding(store.shop, { url: store.url, etag: store.etag })
  // Another launch published a newer script meanwhile, so the shop's answer is not a fault.
  if (finding !== 'answers' && (await published()).wanted !== store.wanted) return onItsWay
  switch (finding) {
    case 'answers':
      return good('script', 'Installed and up to date.')
    case 'unreachable':
      return unreachable
    case 'missing':
      return launchCheck('script', 'bad', 'The script is no longer on your shop.', {
        remedy: 'Contact support to have it installed again.',
      })
    case 'differs':
      return launchCheck('script', 'bad', 'Your shop serves an old version.', {
        remedy:
          'Wait until the shop’s cache expires, then check again. If that does not help, contact support.',
      })
  }
}
