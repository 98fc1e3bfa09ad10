import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Api } from '../../domain/api/api-client.ts'
import {
  type ChoicePicture,
  type ChoiceShown,
  needsPicture,
} from '../../domain/drafts/pictures/choice-picture.ts'
import type { Posted } from '../../domain/posted.ts'
import { paths } from '../../domain/paths.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { ChoicesShown } from '../../views/drafts/choice-picture.tsx'
import { carriedTo, queryOf } from '../http/query.ts'
import { apiOf, downloadOf } from '../session/visit.ts'

type WithId = { Params: { id: string } }

/**
 * Pictures of the themes, templates and pages that a draft can choose. The page's script requests
 * those that are on the screen.
 */
export function draftChoices(app: FastifyInstance): void {
  app.post<WithId & { Body: Posted }>(
    paths.draftChoices(':id'),
    async (request): Promise<ChoiceShown[]> => {
      const versions = [request.body['version'] ?? []].flat()
      const choices = [request.body['of'] ?? []]
        .flat()
        .map((of, i) => ({ of, version: versions[i] ?? '' }))
      const { pictures } = await apiOf(request).drawChoicePictures({ body: { choices } })
      return pictures.map(each => {
        const shown = shownOf(request.params.id, each)
        return { ...shown, src: shown.src && carriedTo(request, shown.src) }
      })
    },
  )

  app.get<WithId>(paths.draftChoices(':id', ':of').split('?')[0]!, async (request, reply) => {
    const of = queryOf(request).get('of') ?? '',
      picture = of.length > 0 && of.length <= 200 ? await fileOf(request, of) : null
    if (!picture) throw new HttpProblem(404, 'There is no such picture.')
    // The address contains the time when the picture was taken, so the answer never changes.
    return reply
      .header('cache-control', 'private, max-age=604800, immutable')
      .header('vary', 'authorization')
      .type(picture.type)
      .send(picture.body)
  })
}

const fileOf = (request: FastifyRequest, of: string) =>
  downloadOf(request)('choicePicture', { query: { of } })

/**
 * The pictures of the choices, for the views. When the engine fails (5xx), the choices are shown
 * without pictures.
 */
export async function choicesShown(api: Api, draftId: string): Promise<ChoicesShown> {
  const { canDraw, pictures } = await api.choicePictures({}).catch((error: unknown) => {
    if (error instanceof HttpProblem && error.status >= 500) return { canDraw: false, pictures: [] }
    throw error
  })
  const known = new Map(pictures.map(each => [each.of, each])),
    now = new Date()
  return {
    to: paths.draftChoices(draftId),
    of: (name, version) => {
      const picture = known.get(name)
      return {
        ...(picture
          ? shownOf(draftId, picture)
          : { of: name, src: null, problem: null, isDrawing: false }),
        isNeeded: canDraw && needsPicture(picture, version, now),
      }
    },
  }
}

const shownOf = (
  draftId: string,
  { of, takenAt, problem, isDrawing }: ChoicePicture,
): ChoiceShown => ({
  of,
  src: takenAt ? paths.draftChoices(draftId, of, takenAt) : null,
  problem,
  isDrawing,
})
