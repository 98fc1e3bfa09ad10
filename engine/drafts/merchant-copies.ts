import {
  copyNotFound,
  copySuffix,
  copyThemeName,
  type MerchantCopy,
  templateCopyProblem,
  themeCopyProblem,
} from '../../domain/themes/merchant-copy.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { templateFile, templateStem, type TemplateType } from '../../domain/themes/template.ts'
import { targetKind } from '../../domain/tests/test-target.ts'
import type { EngineContext } from '../context.ts'
import type { StoredTarget } from '../db/lifecycle-schema.ts'
import type { Platform } from '../platform/adapter.ts'
import type { ThemeRecord } from '../platform/themes.ts'
import {
  findTemplate,
  type LiveTemplate,
  liveTheme,
  templatesOf,
} from '../themes/live-templates.ts'
import { type DraftRow, requireDraft } from './draft-rows.ts'
import type { Serve } from '../http/routes.ts'

type Context = Pick<EngineContext, 'platform' | 'db'>
/** Folders whose files make a theme. Assets and texts may be left out of a copy. */
const themeFolders = ['layout/', 'templates/', 'sections/', 'snippets/', 'config/']

/** Serves what the merchant must copy for a draft. */
export function merchantCopies(serve: Serve, { platform, db: { kysely } }: EngineContext): void {
  serve('variantCopy', async ({ params: { id } }, { storeId, shop }) => {
    const draft = await requireDraft(kysely, storeId, id)
    if (!(await isMadeByMerchant(platform, shop))) return { copy: null }
    return { copy: await guideFor(platform, shop, draft) }
  })
}

export const isMadeByMerchant = async (platform: Platform, shop: string): Promise<boolean> =>
  (await platform.capabilities(shop)).copies === 'merchant'

async function guideFor(
  platform: Platform,
  shop: string,
  { draft_id: id, kind, control_target: control }: DraftRow,
): Promise<MerchantCopy | null> {
  const live = await liveTheme(platform, shop)
  if (targetKind(kind) === 'theme')
    return {
      kind: 'theme',
      original: live.name,
      name: copyThemeName(live.name, id),
      address: await platform.themePage(shop, {}),
    }
  if (!control?.templateType) return null
  return {
    kind: 'template',
    ...namesOf(control, id),
    address: await platform.themePage(shop, {
      themeId: live.id,
      file: templateFile(control.templateType, control.suffix ?? ''),
    }),
  }
}

const namesOf = ({ templateType, suffix }: StoredTarget, id: string) => ({
  original: templateStem(templateType!, suffix!),
  name: templateStem(templateType!, copySuffix(id)),
})

/** HttpProblem 400 at the variant. */
const refused = (field: string, message: string) =>
  new HttpProblem(400, message, [{ field, message }])

/**
 * The template that the merchant made for a draft or test: the one with the name that we told, or
 * the only one that was made since the draft and fits. Throws HttpProblem 400 when there is none,
 * or when the one with the name does not fit.
 */
export async function templateByMerchant(
  context: Context,
  { storeId, shop, id }: { storeId: string; shop: string; id: string },
  control: StoredTarget,
): Promise<LiveTemplate> {
  const { platform } = context
  const type: TemplateType = control.templateType!
  const theme = await liveTheme(platform, shop)
  const original = await findTemplate(platform, shop, theme.id, type, control.suffix!)
  if (!original)
    throw refused('control', `The live theme has no template ${namesOf(control, id).original}.`)
  const problemOf = (copy: LiveTemplate) => templateCopyProblem(factsOf(original), factsOf(copy))
  const all = (await templatesOf(platform, shop, theme.id)).filter(
    each => each.type === type && each.suffix !== '' && each.suffix !== control.suffix,
  )
  const named = all.find(({ suffix }) => suffix === copySuffix(id))
  if (named) {
    const problem = problemOf(named)
    if (problem) throw refused('suffix', problem)
    return named
  }
  const since = await madeAt(context, storeId, id)
  const used = await usedSuffixes(context, storeId, type)
  const made = all.filter(
    each =>
      since !== null &&
      Date.parse(each.file.updatedAt) >= since.getTime() &&
      !used.has(each.suffix) &&
      problemOf(each) === null,
  )
  if (made.length === 1) return made[0]!
  throw refused('suffix', copyNotFound({ kind: 'template', ...namesOf(control, id) }))
}

/**
 * The theme that the merchant made as the variant of a draft, found in the same way. Throws
 * HttpProblem 400 when there is none, or when it is no copy of the live theme.
 */
export async function themeByMerchant(
  { platform }: Pick<EngineContext, 'platform'>,
  shop: string,
  { draft_id: id, created_at }: DraftRow,
): Promise<ThemeRecord> {
  const live = await liveTheme(platform, shop)
  const others = (await platform.themes(shop)).filter(({ role }) => role !== 'live')
  const name = copyThemeName(live.name, id)
  const made = others.filter(({ createdAt }) => Date.parse(createdAt) >= created_at.getTime())
  const copy = others.find(each => each.name === name) ?? (made.length === 1 ? made[0] : undefined)
  if (!copy) throw refused('themeId', copyNotFound({ kind: 'theme', original: live.name, name }))
  const filesOf = async (theme: ThemeRecord) => ({
    name: theme.name,
    files: (await platform.themeFiles(shop, theme.id, themeFolders)).map(each => each.name),
  })
  const problem = themeCopyProblem(await filesOf(live), await filesOf(copy))
  if (problem) throw refused('themeId', problem)
  return copy
}

const factsOf = ({ type, suffix, format, file: { body } }: LiveTemplate) => ({
  name: templateStem(type, suffix),
  format,
  body,
})

/** When a draft or test was made; null when there is none of this id. */
async function madeAt({ db }: Context, storeId: string, id: string): Promise<Date | null> {
  const draft = await db.kysely
    .selectFrom('drafts')
    .select('created_at')
    .where('store_id', '=', storeId)
    .where('draft_id', '=', id)
    .executeTakeFirst()
  return draft?.created_at ?? null
}

/** Suffixes of templates that other drafts and unfinished tests show. */
async function usedSuffixes(
  { db }: Context,
  storeId: string,
  type: TemplateType,
): Promise<Set<string>> {
  const targets = [
    ...(await db.kysely
      .selectFrom('drafts')
      .select(['control_target', 'variant_target'])
      .where('store_id', '=', storeId)
      .execute()),
    ...(await db.kysely
      .selectFrom('tests')
      .select(['control_target', 'variant_target'])
      .where('store_id', '=', storeId)
      .where('status', '!=', 'Ended')
      .execute()),
  ].flatMap(({ control_target, variant_target }) => [control_target, variant_target])
  return new Set(
    targets.flatMap(target =>
      target?.templateType === type && target.suffix ? [target.suffix] : [],
    ),
  )
}
