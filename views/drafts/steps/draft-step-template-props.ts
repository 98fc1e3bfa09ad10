import type { MerchantCopy } from '../../../domain/themes/merchant-copy.ts'
import type { Template } from '../../../domain/themes/template-record.ts'
import { assignedTypes, type TemplateType } from '../../../domain/themes/template.ts'
import type { ArmState } from '../../../domain/tests/test-target.ts'
import type { ChoicesShown } from '../choice-picture.tsx'
import type { DraftEditorProps } from '../draft-editor.tsx'

/** A product, page or other resource of the shop that uses a template. */
export type Resource = { id: string; title: string; path: string; suffix: string }

/** The properties of the template step. */
export type TemplateStepProps = DraftEditorProps & {
  /** Templates of the live theme, of all types. */
  templates: Template[]
  /** The state of both arms in the shop; null before a control is chosen. */
  states: { control: ArmState; variant: ArmState } | null
  /** Resources that use the control's template, for types whose pages can be chosen. */
  resources: Resource[]
  pictures: ChoicesShown
  editorOf: (template: { type: TemplateType; suffix: string }) => string
  /** How the merchant makes the copy; null where we make it. */
  copy: MerchantCopy | null
  /** What was ticked and chosen in a form that was refused. */
  ticked: string[]
  suffix: string
}

/** What merchants call each type of template. */
export const typeLabels: Record<TemplateType, string> = {
  home: 'Home page',
  product: 'Products',
  collection: 'Collections',
  page: 'Pages',
  blog: 'Blogs',
  article: 'Articles',
  cart: 'Cart',
  search: 'Search',
}

/** "product.story" */
export const templateLabel = (type: TemplateType, suffix: string): string =>
  suffix ? `${type}.${suffix}` : type

/** Whether each page of this type is assigned its own template. */
export const isAssigned = (type: TemplateType | null): boolean =>
  (assignedTypes as readonly string[]).includes(type ?? '')

/** Why a Liquid template cannot be tested. */
export const unsupported =
  'We cannot copy or edit this template here: it is a Liquid template, or we cannot read it. Create the variant in your shop’s theme editor, then choose it below.'
