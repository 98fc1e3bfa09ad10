import type { Posted } from '../../../domain/posted.ts'
import type { TemplateContent } from '../../../domain/themes/template-content.ts'
import type { DraftEditorProps } from '../draft-editor.tsx'
import type { Offers } from '../draft-content-field.tsx'

/** What the content step shows: the template, what was posted, and what can be chosen. */
export type ContentProps = DraftEditorProps & {
  content: TemplateContent
  /** Link to the template in the shop's theme editor. */
  editor: string | null
  posted: Posted
  /** Version of the template's file from which the fields were made. */
  version: string
  /** The values of the fields at that time (domain/drafts/content-form.ts). */
  was: string
  /** Id of the section that was edited last; null for none. */
  opened: string | null
  offers: Offers
}
