import type { Input } from '../../domain/api/contract.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { type TemplateType, templateFile, templateStem } from '../../domain/themes/template.ts'
import { ownIsNoVariant, templateTarget } from '../../domain/tests/test-target.ts'
import type { EngineContext } from '../context.ts'
import type { StoredTarget } from '../db/lifecycle-schema.ts'
import { isMadeByMerchant, templateByMerchant } from './merchant-copies.ts'
import {
  type CopyFor,
  copyTemplate,
  findTemplate,
  hashOf,
  liveTheme,
  requireAssigned,
} from '../themes/live-templates.ts'

/** The body of the request that chooses a variant. */
export type VariantInput = Input<'setVariant'>['body']

/** HttpProblem 400 at one field. */
export const refused = (field: string, message: string): HttpProblem =>
  new HttpProblem(400, message, [{ field, message }])

/**
 * Chooses the variant of a template test: the named template, or a new copy of the control's
 * template for `of.testId`.
 * `resourceIds` are the resources that take part, if the request names them or if they were named
 * when the template was copied. Throws HttpProblem 400 with the field that is wrong.
 */
export async function templateVariant(
  context: Pick<EngineContext, 'platform' | 'journal' | 'db' | 'clock'>,
  of: CopyFor,
  control: StoredTarget | null,
  { suffix, granular }: VariantInput,
): Promise<{
  target: StoredTarget
  origin: 'ExistingTemplate' | 'Duplicate'
  resourceIds: string[] | undefined
}> {
  if (!control) throw refused('control', 'Choose the control first.')
  const type = control.templateType!
  let resourceIds =
    granular && (await requireAssigned(context.platform, of.shop, type, control.suffix!, granular))
  if (suffix === undefined && (await isMadeByMerchant(context.platform, of.shop))) {
    const { shop, storeId, testId } = of
    const made = await templateByMerchant(context, { storeId, shop, id: testId! }, control)
    // The hash of the control: whatever the merchant has changed in the copy is a change.
    const theme = await liveTheme(context.platform, shop)
    const original = await findTemplate(context.platform, shop, theme.id, type, control.suffix!)
    return {
      target: {
        ...templateTarget(type, made.suffix, true),
        hash: hashOf((original ?? made).file.body),
      },
      origin: 'Duplicate',
      resourceIds,
    }
  }
  if (suffix === undefined) {
    const copy = await copyTemplate(context, of, type, control.suffix!)
    return {
      target: { ...templateTarget(type, copy.suffix, true), hash: copy.hash },
      origin: 'Duplicate',
      resourceIds,
    }
  }
  if (suffix === control.suffix)
    throw refused('suffix', 'The variant must be another template than the control.')
  if (suffix === '') throw refused('suffix', ownIsNoVariant)
  const template = await requireTemplate(context, of.shop, type, suffix)
  const copied = await context.db.kysely
    .selectFrom('template_copies')
    .select('resource_ids')
    .where('store_id', '=', of.storeId)
    .where('type', '=', type)
    .where('suffix', '=', suffix)
    .where('from_suffix', '=', control.suffix!)
    .executeTakeFirst()
  if (copied && copied.resource_ids.length > 0)
    resourceIds ??= await requireAssigned(
      context.platform,
      of.shop,
      type,
      control.suffix!,
      copied.resource_ids,
    )
  return {
    target: { ...templateTarget(type, suffix), hash: hashOf(template.file.body) },
    origin: 'ExistingTemplate',
    resourceIds,
  }
}

/** Throws HttpProblem 400 when the live theme has no such template. */
export async function requireTemplate(
  { platform }: Pick<EngineContext, 'platform'>,
  shop: string,
  type: TemplateType,
  suffix: string,
) {
  const template = await findTemplate(
    platform,
    shop,
    (await liveTheme(platform, shop)).id,
    type,
    suffix,
  )
  if (!template)
    throw refused('suffix', `The live theme has no template ${templateStem(type, suffix)}.`)
  return template
}

/** Whether we made the template file that a target shows. */
export const isOurFile = (target: StoredTarget | null): target is StoredTarget =>
  Boolean(target?.isOurs && target.templateType)

/** The name of a template's file in its theme. */
export const fileOf = (target: StoredTarget): string =>
  templateFile(target.templateType!, target.suffix!)
