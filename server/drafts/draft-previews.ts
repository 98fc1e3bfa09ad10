import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import type { Api } from '../../domain/api/api-client.ts'
import type { TestDraft } from '../../domain/drafts/draft.ts'
import { paths } from '../../domain/paths.ts'
import type { Posted } from '../../domain/posted.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { screenshotDeviceNames } from '../../domain/drafts/pictures/screenshot.ts'
import { DraftPictures, DraftPreviews } from '../../views/drafts/draft-previews.tsx'
import { testedPreviews } from './draft-editor.ts'
import { shopReads } from './shop-reads.ts'
import { page, seeOther } from '../page/page.ts'
import { queryOf } from '../http/query.ts'
import { apiOf, downloadOf, storeOf } from '../session/visit.ts'

type WithId = { Params: { id: string } }
type Picture = { Params: { id: string; hypothesis: string; device: string } }

/** The pages that show both arms of a draft on a phone, and screenshots of both arms. */
export function draftPreviews(app: FastifyInstance): void {
  app.get<WithId>(paths.draftPreviews(':id'), async (request, reply) => {
    const api = apiOf(request),
      draft = await api.draft({ params: { id: request.params.id } })
    const { previews } = await testedPreviews(api, draft, shopReads())
    return page(request, reply, {}, h(DraftPreviews, { draft, previews }))
  })

  app.get<WithId>(paths.draftPictures(':id'), async (request, reply) => {
    const api = apiOf(request)
    return pictures(request, reply, await api.draft({ params: { id: request.params.id } }), null)
  })

  app.post<WithId & { Body: Posted }>(paths.draftPictures(':id'), async (request, reply) => {
    const api = apiOf(request),
      { id } = request.params
    // Without an arm: both.
    const { hypothesis } = request.body
    try {
      const { jobId } =
        hypothesis === undefined
          ? await api.updateDraftScreenshots({ params: { id } })
          : await api.refreshScreenshots({ params: { id: await armOf(api, id, hypothesis) } })
      return seeOther(request, reply, `${paths.draftPictures(id)}?job=${encodeURIComponent(jobId)}`)
    } catch (error) {
      // 503: the server has no browser that could take them. 429: too many jobs are waiting.
      if (!(error instanceof HttpProblem) || ![429, 503].includes(error.status)) throw error
      return pictures(
        request,
        reply.code(error.status),
        await api.draft({ params: { id } }),
        error.message,
      )
    }
  })

  app.get<Picture>(paths.draftPictures(':id', ':hypothesis', ':device'), async (request, reply) => {
    const { id, hypothesis, device: named } = request.params
    const draft = await apiOf(request).draft({ params: { id } }),
      device = screenshotDeviceNames.find(each => each === named)
    const picture =
      device && draft.hypotheses.some(each => each.id === hypothesis)
        ? await downloadOf(request)('screenshot', { params: { id: hypothesis, device } })
        : null
    if (!picture) throw new HttpProblem(404, 'There is no such picture.')
    return reply
      .header('cache-control', 'private, max-age=3600')
      .header('vary', 'authorization')
      .type(picture.type)
      .send(picture.body)
  })
}

/** The id if it is an arm of this draft. Throws HttpProblem 404 if it is not. */
async function armOf(api: Api, id: string, hypothesis: Posted[string]): Promise<string> {
  const { hypotheses } = await api.draft({ params: { id } }),
    arm = hypotheses.find(each => each.id === hypothesis)
  if (!arm) throw new HttpProblem(404, 'This draft has no such arm.')
  return arm.id
}

async function pictures(
  request: FastifyRequest,
  reply: FastifyReply,
  draft: TestDraft,
  refusal: string | null,
): Promise<FastifyReply> {
  const job = await jobOf(apiOf(request), queryOf(request).get('job'))
  return page(
    request,
    reply,
    {},
    h(DraftPictures, { draft, job, refusal, timeZone: storeOf(request).timeZone }),
  )
}

/**
 * The screenshot job with this id. Null without an id, for an unknown id and for a job of another
 * kind.
 */
async function jobOf(api: Api, id: string | null) {
  if (!id) return null
  try {
    const job = await api.storeJob({ params: { id: id.slice(0, 64) } })
    return job.kind === 'screenshots' ? job : null
  } catch (error) {
    if (error instanceof HttpProblem && (error.status === 404 || error.status === 400)) return null
    throw error
  }
}
