import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  emptyCondition,
  parseAudience,
  postedAudience,
  reachWords,
  withCondition,
} from '../../domain/audiences/audience-form.ts'
import { everyone } from '../../domain/audiences/audience-match.ts'
import { formOf } from '../../domain/drafts/draft-form.ts'
import type { Posted } from '../../domain/posted.ts'
import { paths } from '../../domain/paths.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { AudienceDialogProps } from '../../views/drafts/draft-audience.tsx'
import { audienceDialog } from './draft-audience-dialog.ts'
import { editor } from './draft-editor.ts'
import { seeOther } from '../page/page.ts'
import { toast } from '../page/toasts.ts'
import { apiOf, storeOf } from '../session/visit.ts'

type Ids = { Params: { id: string; audience: string }; Body: Posted }

/** Creates, changes and deletes the store's audiences, in a dialog of the draft editor. */
export function draftAudiences(app: FastifyInstance): void {
  app.post<Ids>(paths.draftAudience(':id', ':audience'), async (request, reply) => {
    const {
        params: { id, audience },
        body: posted,
      } = request,
      api = apiOf(request)
    const form = postedAudience(posted),
      { input, problems } = parseAudience(form)
    const over = { form, problems }
    const [, verb, field] = /^(add|remove):([0-7])$/.exec(String(posted.act)) ?? []
    if (verb)
      return again(request, reply, {
        form: withCondition(form, Number(field), verb === 'add' ? emptyCondition : null),
        ...(verb === 'add' && { added: Number(field) }),
      })
    if (posted.act === 'preview') {
      const asked = problems.filter(({ field }) => field !== 'name')
      let reach = asked[0]?.message
      try {
        reach ??= reachWords(await api.previewAudience({ body: { values: input.values } }))
      } catch (error) {
        return refusedBy(error, request, reply, { form })
      }
      return again(request, reply, { ...over, problems: [], reach })
    }
    if (problems.length > 0) return again(request, reply.code(422), over)
    try {
      if (audience === 'new') {
        const made = await api.createAudience({ body: input })
        // A merchant who makes an audience in a draft wants to use it in this draft. A draft has at
        // most 10 audiences.
        const draft = await api.draft({ params: { id } })
        const chosen = draft.audienceIds.filter(each => each !== everyone)
        const isChosen = chosen.length < 10
        if (isChosen)
          await api.updateDraft({
            params: { id },
            body: { audienceIds: [...chosen, made.id], version: draft.version },
          })
        toast(
          request,
          reply,
          isChosen
            ? `Audience “${made.name}” is created and chosen for this test.`
            : `Audience “${made.name}” is created. This test already has 10 audiences: remove one to choose it.`,
        )
      } else {
        const changed = await api.updateAudience({ params: { id: audience }, body: input })
        toast(request, reply, `Audience “${changed.name}” is saved.`)
      }
    } catch (error) {
      return refusedBy(error, request, reply, over)
    }
    return seeOther(request, reply, `${paths.draft(id)}?step=split`)
  })

  app.post<Ids>(paths.draftAudience(':id', ':audience', 'delete'), async (request, reply) => {
    const {
        params: { id, audience },
      } = request,
      api = apiOf(request)
    try {
      await api.deleteAudience({ params: { id: audience } })
    } catch (error) {
      return refusedBy(error, request, reply, {})
    }
    const draft = await api.draft({ params: { id } })
    if (draft.audienceIds.includes(audience))
      await api.updateDraft({
        params: { id },
        body: {
          audienceIds: draft.audienceIds.filter(each => each !== audience),
          version: draft.version,
        },
      })
    toast(request, reply, 'The audience is deleted.')
    return seeOther(request, reply, `${paths.draft(id)}?step=split`)
  })
}

/**
 * Shows the dialog again with the engine's refusal, at its field if it names one. Throws every
 * other error again.
 */
function refusedBy(
  error: unknown,
  request: FastifyRequest<Ids>,
  reply: FastifyReply,
  over: Partial<AudienceDialogProps>,
): Promise<FastifyReply> {
  if (!(error instanceof HttpProblem) || ![400, 403, 409].includes(error.status)) throw error
  return again(request, reply.code(error.status === 400 ? 422 : error.status), {
    ...over,
    problems: error.fields,
    refusal: error.fields.length === 0 ? error.message : null,
  })
}

/**
 * Sends the editor with the dialog open. `over` has what the merchant typed and what is wrong with
 * it.
 */
async function again(
  request: FastifyRequest<Ids>,
  reply: FastifyReply,
  over: Partial<AudienceDialogProps>,
): Promise<FastifyReply> {
  const { id, audience } = request.params,
    api = apiOf(request)
  const draft = await api.draft({ params: { id } })
  return editor(request, reply, {
    draft,
    form: formOf(draft, storeOf(request).timeZone),
    step: 'split',
    dialog: await audienceDialog(api, id, audience, over),
  })
}
