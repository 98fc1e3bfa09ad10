import { h, type JSX } from 'preact'
import type { Api } from '../../domain/api/api-client.ts'
import type { TestDraft } from '../../domain/drafts/draft.ts'
import { DiscardVariant } from '../../views/drafts/draft-discard.tsx'
import { type ActContext, postedText, refused, type ShowContext } from './steps/draft-step.ts'
import { queryOf } from '../http/query.ts'

/** Field that the dialog adds to the act once the merchant has confirmed. */
const sure = 'discard'
/** Acts that delete the variant's copy. For any other act in `?ask=` no dialog is shown. */
const asked = /^(page\.(choose|remove)|template\.(control|remove)):[\w:./-]*$/

/**
 * The query of a page that asks before the act deletes a copy with changes. Null when nothing would
 * be lost, or when the merchant has confirmed.
 */
export async function asksFirst({
  api,
  draft,
  posted,
}: ActContext): Promise<Record<string, string> | null> {
  if (postedText(posted, sure) === '1' || !(await isEditedCopy(api, draft))) return null
  return { ask: postedText(posted, 'act') }
}

/**
 * Throws HttpProblem 400 when a new variant would replace a copy with changes. Only an outdated
 * page asks for that.
 */
export async function requireNoEdits({ api, draft }: ActContext): Promise<void> {
  if (await isEditedCopy(api, draft))
    throw refused('variant', 'There is already a variant with changed content. Remove it first.')
}

/** Asks the shop, because someone may have changed the copy there. */
async function isEditedCopy(api: Api, { id, variant }: TestDraft): Promise<boolean> {
  return (
    variant?.isOurs === true &&
    (await api.draftTemplateStatus({ params: { id } })).variant.changeState === 'Modified'
  )
}

/** The dialog that asks about the act in `?ask=` of the page's address. */
export function discardDialog({ request, draft, props }: ShowContext): { dialogs?: JSX.Element } {
  const act = queryOf(request).get('ask') ?? ''
  if (request.method !== 'GET' || !draft.variant?.isOurs || !asked.test(act)) return {}
  return { dialogs: h(DiscardVariant, { draft, step: props.step, fields: { act, [sure]: '1' } }) }
}
