import type { Posted } from '../../../domain/posted.ts'
import type { TemplateContent } from '../../../domain/themes/template-content.ts'
import type { DraftEditorProps } from '../draft-editor.tsx'
import type { Offers } from '../draft-content-field.tsx'

/** What the content step shows: the template, what was posted, and what can be chosen. */
export type ContentProps = DraftEditorProps & {
  content: TemplateContent
  /** The template in the shop's own theme editor. */
  editor: string | null
  posted: Posted
  /** Of the file that the fields were made from. */
  version: string
  /** What the fields held then (domain/drafts/content-form.ts). */
  was: string
  /** The section that was worked on last. */
  opened: string | null
  offers: Offers
}
