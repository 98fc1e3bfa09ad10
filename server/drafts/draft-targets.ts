import type { FastifyRequest } from 'fastify'
import type { Api } from '../../domain/api/api-client.ts'
import type { TestDraft } from '../../domain/drafts/draft.ts'
import {
  assignedTypes,
  type AssignedType,
  templateFile,
  type TemplateType,
  templateTypes,
} from '../../domain/themes/template.ts'
import type { MerchantCopy } from '../../domain/themes/merchant-copy.ts'
import type { Theme } from '../../domain/themes/theme.ts'
import type {
  Resource,
  TemplateStepProps,
} from '../../views/drafts/steps/draft-step-template-props.ts'
import { choicesShown } from './draft-choices.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { outcomes } from '../upstream/api-outcomes.ts'
import { storeAddressesOf } from '../page/shop-addresses.ts'

/** The most resources of the shop that a step lists. */
const listed = 250

export const typeOf = (text: string | undefined): TemplateType | undefined =>
  templateTypes.find(type => type === text)
export const assignedTypeOf = (type: string | null | undefined): AssignedType | undefined =>
  assignedTypes.find(each => each === type)

/**
 * What the template steps show: the live theme's templates, the state of both arms in the shop, and
 * the resources that use the control's template.
 */
export async function templateProps(
  request: FastifyRequest,
  api: Api,
  draft: TestDraft,
): Promise<
  Pick<TemplateStepProps, 'templates' | 'states' | 'resources' | 'editorOf' | 'pictures' | 'copy'>
> {
  const type = assignedTypeOf(draft.control?.templateType)
  const [templates, states, themes, resources, pictures, copy] = await Promise.all([
    api.templates({ query: {} }),
    draft.control ? api.draftTemplateStatus({ params: { id: draft.id } }) : null,
    api.themes({}),
    type
      ? api
          .templateResources({
            query: { type, suffix: draft.control!.suffix ?? '', limit: listed },
          })
          .then(({ items }): Resource[] => items)
      : [],
    choicesShown(api, draft.id),
    copyGuide(api, draft),
  ])
  const editorOf = templateEditor(request, themes)
  return { templates, states, resources, editorOf, pictures, copy }
}

/**
 * How the merchant makes the copy that the draft still needs; null when it has its variant, or we
 * make the copy.
 */
export const copyGuide = async (
  api: Api,
  { id, variant }: TestDraft,
): Promise<MerchantCopy | null> =>
  variant ? null : (await api.variantCopy({ params: { id } })).copy

/**
 * Gives the variant a copy of the control's template. Throws HttpProblem 400 with the reason when
 * the shop refuses the copy or does not answer.
 */
export async function copyForVariant(
  api: Api,
  wanted: Parameters<Api['setVariant']>[0],
): Promise<void> {
  const copied = await outcomes.duplicateTemplate(api.setVariant(wanted))
  if ('message' in copied) throw new HttpProblem(400, copied.message, copied.fields)
}

/**
 * Makes links to a template's file in the shop's editor of the live theme, or to the list of themes
 * when none is live.
 */
export function templateEditor(
  request: FastifyRequest,
  themes: readonly Theme[],
): TemplateStepProps['editorOf'] {
  const live = themes.find(({ role }) => role === 'live'),
    { themes: list } = storeAddressesOf(request)
  return template =>
    live ? live.fileUrl + encodeURIComponent(templateFile(template.type, template.suffix)) : list
}
