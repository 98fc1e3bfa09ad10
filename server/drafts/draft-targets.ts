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
import type { Theme } from '../../domain/themes/theme.ts'
import type {
  Resource,
  TemplateStepProps,
} from '../../views/drafts/steps/draft-step-template-props.ts'
import { choicesShown } from './draft-choices.ts'
import { layoutOf } from '../page/layout.ts'

/** What of the shop is listed at most to choose from. */
const listed = 250

export const typeOf = (text: string | undefined): TemplateType | undefined =>
  templateTypes.find(type => type === text)
export const assignedTypeOf = (type: string | null | undefined): AssignedType | undefined =>
  assignedTypes.find(each => each === type)

/** What the steps of templates show: the live theme's templates, where the arms stand, and what the control draws. */
export async function templateProps(
  request: FastifyRequest,
  api: Api,
  draft: TestDraft,
): Promise<
  Pick<TemplateStepProps, 'templates' | 'states' | 'resources' | 'editorOf' | 'pictures'>
> {
  const type = assignedTypeOf(draft.control?.templateType)
  const [templates, states, themes, resources, pictures] = await Promise.all([
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
  ])
  const editorOf = templateEditor(request, themes)
  return { templates, states, resources, editorOf, pictures }
}

/** Links to the shop's own editor of the live theme, at a template's file. */
export function templateEditor(
  request: FastifyRequest,
  themes: readonly Theme[],
): TemplateStepProps['editorOf'] {
  const live = themes.find(({ role }) => role === 'live'),
    admin = layoutOf(request).host.home
  return template =>
    live
      ? `${admin}/themes/${encodeURIComponent(live.id)}/file?name=${encodeURIComponent(templateFile(template.type, template.suffix))}`
      : `${admin}/themes`
}
