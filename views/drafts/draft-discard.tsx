import type { TestDraft } from '../../domain/drafts/draft.ts'
import { named } from '../../domain/drafts/draft-ready.ts'
import type { DraftStep } from '../../domain/drafts/draft-steps.ts'
import { paths } from '../../domain/paths.ts'
import { Confirm } from '../confirm.tsx'

type DiscardProps = {
  draft: TestDraft
  step: DraftStep
  /** The fields that send the act again. */
  fields: Record<string, string> & { act: string }
}

/** Asks before an act deletes content that the merchant wrote. */
export function DiscardVariant({ draft, step, fields }: DiscardProps) {
  const isRemoval = /^\w+\.remove:/.test(fields.act)
  return (
    <Confirm
      id="discard-variant"
      isOpen
      title="Discard your changes to the variant?"
      action={`${paths.draft(draft.id)}?step=${step}`}
      closed={`${paths.draft(draft.id)}?step=${step}`}
      fields={fields}
      act={isRemoval ? 'Remove variant' : 'Discard changes and choose this'}
      keep="Keep the variant"
    >
      The copy {named(draft.variant)} has changes that this test loses. The copy is also deleted
      from your shop, unless it was changed in your shop’s theme editor. This cannot be undone.
    </Confirm>
  )
}
