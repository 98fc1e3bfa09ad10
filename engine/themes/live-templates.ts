import { createHash, randomInt } from 'node:crypto'
import { HttpProblem } from '../../domain/problem.ts'
import { quotas, quotaWords } from '../../domain/quota.ts'
import {
  assignedTypes,
  type AssignedType,
  templateFile,
  templateOf,
  templateStem,
  type TemplateType,
} from '../../domain/themes/template.ts'
import { templateKind } from '../../domain/themes/template-kind.ts'
import { day } from '../../domain/time-units.ts'
import type { EngineContext } from '../context.ts'
import type { For } from '../journal/journal-contract.ts'
import type { Platform } from '../platform/adapter.ts'
import { requireNeed } from '../platform/store-capabilities.ts'
import type { ShopResource, ThemeFile, ThemeRecord } from '../platform/themes.ts'
import { notFound } from '../http/routes.ts'
import { countResources, resourcePages, resourcesById } from '../platform/resources.ts'

export type LiveTemplate = {
  type: TemplateType
  suffix: string
  format: 'json' | 'liquid'
  file: ThemeFile
}

export async function liveTheme(platform: Platform, shop: string): Promise<ThemeRecord> {
  const theme = (await platform.themes(shop)).find(each => each.role === 'live')
  if (!theme) throw new HttpProblem(502, 'Your shop has no live theme. Publish one first.')
  return theme
}

/**
 * Every template of a theme that draws pages of the testable types. If a template exists in two
 * formats, the one that the shop uses (JSON).
 */
export async function templatesOf(
  platform: Platform,
  shop: string,
  themeId: string,
): Promise<LiveTemplate[]> {
  const found = new Map<string, LiveTemplate>()
  for (const file of await platform.themeFiles(shop, themeId, ['templates/'])) {
    const named = templateOf(file.name)
    if (named && (named.format === 'json' || !found.has(keyOf(named))))
      found.set(keyOf(named), { ...named, file })
  }
  return [...found.values()]
}

export async function findTemplate(
  platform: Platform,
  shop: string,
  themeId: string,
  type: TemplateType,
  suffix: string,
): Promise<LiveTemplate | null> {
  const json = templateFile(type, suffix),
    liquid = json.replace(/json$/, 'liquid')
  const files = await platform.themeFiles(shop, themeId, [json, liquid])
  const file = files.find(each => each.name === json) ?? files.find(each => each.name === liquid)
  return file ? { type, suffix, format: file.name === json ? 'json' : 'liquid', file } : null
}

export const kindOf = ({ format, file }: LiveTemplate) => templateKind(format, file.body)
export const hashOf = (body: string): string =>
  createHash('sha256').update(body).digest('base64url')
export const isAssignedType = (type: TemplateType): type is AssignedType =>
  (assignedTypes as readonly string[]).includes(type)
/** "product.story", and "home.story" for what the shop keeps as index.story (`templateStem`). */
export const templateName = (type: TemplateType, suffix: string): string =>
  suffix ? `${type}.${suffix}` : type

/** The pages of the types whose templates cannot be assigned. */
export const ownPaths: Partial<Record<TemplateType, string[]>> = {
  home: ['/'],
  cart: ['/cart'],
  search: ['/search'],
}

/**
 * The resources that are assigned to a template, by pages; none for types whose pages always use
 * their own template. With ids, only these.
 */
export async function* assignedTo(
  platform: Platform,
  shop: string,
  type: TemplateType,
  suffix: string,
  ids: readonly string[] = [],
): AsyncGenerator<ShopResource[]> {
  if (!isAssignedType(type)) return
  if (ids.length === 0) yield* resourcePages(platform, shop, type, { suffix })
  else yield (await resourcesById(platform, shop, type, ids)).filter(each => each.suffix === suffix)
}

/** How many resources use a template; null for types whose pages always use their own template. */
export const assignedCount = async (
  platform: Platform,
  shop: string,
  type: TemplateType,
  suffix: string,
): Promise<number | null> =>
  isAssignedType(type) ? countResources(platform, shop, type, { suffix }) : null

/**
 * Returns these ids if all of them are assigned to the template. Otherwise throws HttpProblem 400
 * at `granular`.
 */
export async function requireAssigned(
  platform: Platform,
  shop: string,
  type: TemplateType,
  suffix: string,
  ids: readonly string[],
): Promise<string[]> {
  const refuse = (field: string, message: string) =>
    new HttpProblem(400, message, [{ field, message }])
  if (ids.length === 0) return []
  if (!isAssignedType(type))
    throw refuse('granular', `There is only one ${type} page, so choose none here.`)
  const assigned = new Set<string>()
  for await (const page of assignedTo(platform, shop, type, suffix, ids))
    for (const { id } of page) assigned.add(id)
  const foreign = ids.findIndex(id => !assigned.has(id))
  if (foreign >= 0)
    throw refuse(`granular.${foreign}`, `This is not assigned to ${templateName(type, suffix)}.`)
  return [...ids]
}

/** What a copy is for, and the shop that gets it. */
export type CopyFor = For & { shop: string }
export type Copied = { suffix: string; body: string; hash: string }
/**
 * Copies a template of the live theme under a suffix of ours, through the journal. Throws
 * HttpProblem: 404 if there is no such template, 400 if it cannot be copied, 409 as `writeCopy`.
 */
export async function copyTemplate(
  context: CopyContext,
  of: CopyFor,
  type: TemplateType,
  suffix: string,
): Promise<Copied> {
  const { platform } = context
  const theme = await liveTheme(platform, of.shop)
  const template = await findTemplate(platform, of.shop, theme.id, type, suffix)
  if (!template) throw notFound(`template as ${templateStem(type, suffix)} in the live theme`)
  if (kindOf(template) === 'Unsupported') {
    const message = `${templateStem(type, suffix)} is a Liquid template, or cannot be read: it can only be copied in the theme’s own editor.`
    throw new HttpProblem(400, message, [{ field: 'suffix', message }])
  }
  return writeCopy(context, of, theme.id, type, template.file.body)
}

type CopyContext = Pick<EngineContext, 'platform' | 'journal' | 'db' | 'clock'>

/**
 * Writes a template under a new suffix of ours into a theme. Throws HttpProblem 409 if the shop
 * lets us make no copies, if the store has made as many in 24 hours as the quota allows, or if the
 * draft is gone.
 */
export async function writeCopy(
  { platform, journal, db, clock }: CopyContext,
  { shop, ...of }: CopyFor,
  themeId: string,
  type: TemplateType,
  body: string,
): Promise<Copied> {
  await requireNeed({ platform }, shop, 'ownCopies')
  const { copies } = await db.kysely
    .selectFrom('journal')
    .select(eb => eb.fn.countAll<string>().as('copies'))
    .where('store_id', '=', of.storeId)
    .where('kind', '=', 'file')
    .where('before', 'is', null)
    .where('created_at', '>', new Date(clock().getTime() - day))
    .executeTakeFirstOrThrow()
  if (Number(copies) >= quotas.copiesADay) throw new HttpProblem(409, quotaWords.copiesADay)
  let suffix = newSuffix()
  while (await findTemplate(platform, shop, themeId, type, suffix)) suffix = newSuffix()
  await journal.writeFiles({
    ...of,
    themeId,
    files: [{ name: templateFile(type, suffix), body }],
  })
  return { suffix, body, hash: hashOf(body) }
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
const newSuffix = (): string =>
  `ts-${Array.from({ length: 6 }, () => letters[randomInt(letters.length)]).join('')}`
/** The key of a template in its theme. */
export const keyOf = ({ type, suffix }: { type: string; suffix: string }): string =>
  `${type} ${suffix}`
