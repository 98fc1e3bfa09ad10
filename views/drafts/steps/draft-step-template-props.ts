import type { Template } from '../../../domain/themes/template-record.ts'
import { assignedTypes, type TemplateType } from '../../../domain/themes/template.ts'
import type { ArmState } from '../../../domain/tests/test-target.ts'
import type { ChoicesShown } from '../choice-picture.tsx'
import type { DraftEditorProps } from '../draft-editor.tsx'

/** A product, page or other thing that a template draws. */
export type Resource = { id: string; title: string; path: string; suffix: string }

/** What the template step is drawn from. */
export type TemplateStepProps = DraftEditorProps & {
  /** Of the live theme, all types. */
  templates: Template[]
  /** Where both arms stand in the shop; null before a control is chosen. */
  states: { control: ArmState; variant: ArmState } | null
  /** What the control draws, as far as it can be chosen from. */
  resources: Resource[]
  pictures: ChoicesShown
  editorOf: (template: { type: TemplateType; suffix: string }) => string
  /** What was ticked and chosen on a page that was refused. */
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

/** Whether pages of this type choose their template one by one. */
export const isAssigned = (type: TemplateType | null): boolean =>
  (assignedTypes as readonly string[]).includes(type ?? '')

/** Why a Liquid template cannot be tested. */
export const unsupported =
  'A Liquid template, or one that cannot be read: it can be tested against, not copied or edited here. Make its variant in your shop’s theme editor and choose it below.'
