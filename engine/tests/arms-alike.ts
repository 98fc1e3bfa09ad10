import { isSameJson } from '../../domain/json-text.ts'
import { templateTree } from '../../domain/themes/template-content.ts'
import { targetKind } from '../../domain/tests/test-target.ts'
import { targetsOf } from './arm-states.ts'
import type { EngineContext } from '../context.ts'
import { type DraftRow, shopHosts } from '../drafts/draft-rows.ts'
import { findTemplate, liveTheme, type LiveTemplate } from '../themes/live-templates.ts'
import { themesAlike } from '../themes/themes-alike.ts'

/** Whether the variant shows what the control shows; `unknown` when the shop did not answer. */
export type Alike = 'same' | 'different' | 'unknown'

/**
 * Compares the current contents of a draft's two templates or themes in the shop. Other kinds are
 * compared elsewhere.
 */
export async function armsAlike(
  { db, platform, log }: Pick<EngineContext, 'db' | 'platform' | 'log'>,
  draft: DraftRow,
): Promise<Alike> {
  const [control, variant] = targetsOf(draft),
    kind = targetKind(draft.kind)
  if (!control || !variant) return 'different'
  try {
    const { shop } = await shopHosts(db.kysely, draft.store_id)
    if (kind === 'theme')
      return (await themesAlike(platform, shop, [control.themeId!, variant.themeId!]))
        ? 'same'
        : 'different'
    if (kind !== 'template') return 'different'
    const { id } = await liveTheme(platform, shop)
    const [first, second] = await Promise.all(
      [control, variant].map(target =>
        findTemplate(platform, shop, id, target.templateType!, target.suffix!),
      ),
    )
    return first && second && templatesAlike(first, second) ? 'same' : 'different'
  } catch (error) {
    log?.warn({ err: error }, 'arms of a draft not compared')
    return 'unknown'
  }
}

/**
 * Compares two templates. Spaces and the order of keys are ignored, because they make no difference
 * on the page.
 */
function templatesAlike(control: LiveTemplate, variant: LiveTemplate): boolean {
  const trees = [control, variant].map(({ format, file }) =>
    format === 'json' ? templateTree(file.body) : null,
  )
  return trees[0] && trees[1]
    ? isSameJson(trees[0], trees[1])
    : control.format === variant.format && control.file.body === variant.file.body
}
