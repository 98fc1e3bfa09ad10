import { h, type JSX } from 'preact'
import type { Api } from '../../domain/api/api-client.ts'
import type { TestDraft } from '../../domain/drafts/draft.ts'
import { DiscardVariant } from '../../views/drafts/draft-discard.tsx'
import { type ActContext, postedText, refused, type ShowContext } from './steps/draft-step.ts'
import { queryOf } from '../http/query.ts'

/** What the dialog sends along with the act that it asks about. */
const sure = 'discard'
/** Acts of the steps after which the variant's copy is gone. Where a page is opened with another, nothing is asked. */
const asked = /^(page\.(choose|remove)|template\.(control|remove)):[\w:./-]*$/

/** Where the merchant is asked before an act deletes a copy that was changed; null where nothing is lost, or it was asked. */
export async function asksFirst({
  api,
  draft,
  posted,
}: ActContext): Promise<Record<string, string> | null> {
  if (postedText(posted, sure) === '1' || !(await isEditedCopy(api, draft))) return null
  return { ask: postedText(posted, 'act') }
}

/** Throws HttpProblem 400 where a new variant would take the place of a copy that was changed: its page is an old one. */
export async function requireNoEdits({ api, draft }: ActContext): Promise<void> {
  if (await isEditedCopy(api, draft))
    throw refused('variant', 'There is already a variant with changed content. Remove it first.')
}

/** As the shop has it now: somebody may have changed it there. */
async function isEditedCopy(api: Api, { id, variant }: TestDraft): Promise<boolean> {
  return (
    variant?.isOurs === true &&
    (await api.draftTemplateStatus({ params: { id } })).variant.changeState === 'Modified'
  )
}

/** The question that the page's address asks. */
export function discardDialog({ request, draft, props }: ShowContext): { dialogs?: JSX.Element } {
  const act = queryOf(request).get('ask') ?? ''
  if (request.method !== 'GET' || !draft.variant?.isOurs || !asked.test(act)) return {}
  return { dialogs: h(DiscardVariant, { draft, step: props.step, fields: { act, [sure]: '1' } }) }
}
