import { h, type JSX } from 'preact'
import type { Api } from '../../domain/api/api-client.ts'
import { audienceForm } from '../../domain/audiences/audience-form.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { AudienceDialog, type AudienceDialogProps } from '../../views/drafts/draft-audience.tsx'

const blank = { name: '', values: {} }

/**
 * The dialog for an audience of the store (`wanted` is its id) or for a new one (`wanted` is
 * "new"). Throws HttpProblem 404 when the store has no such audience of its own.
 */
export async function audienceDialog(
  api: Api,
  draftId: string,
  wanted: string,
  over: Partial<AudienceDialogProps> = {},
): Promise<JSX.Element> {
  const audience =
    wanted === 'new'
      ? null
      : (await api.audiences({})).find(each => each.id === wanted && !each.isBuiltIn)
  if (audience === undefined) throw new HttpProblem(404, 'There is no such audience.')
  const usedBy = audience
    ? (await api.audienceActiveTest({ params: { id: audience.id } })).test
    : null
  return h(AudienceDialog, {
    draftId,
    audience,
    form: audienceForm(audience ?? blank),
    problems: [],
    refusal: null,
    usedBy,
    reach: null,
    added: null,
    ...over,
  })
}
