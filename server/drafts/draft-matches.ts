import type { FastifyInstance } from 'fastify'
import { h } from 'preact'
import { formOf, parseDraft } from '../../domain/drafts/draft-form.ts'
import { typed } from '../../domain/drafts/draft-form-posted.ts'
import { paths } from '../../domain/paths.ts'
import { PatternMatches } from '../../views/drafts/draft-matches.tsx'
import { barePage } from '../page/page.ts'
import { apiOf, storeOf } from '../session/visit.ts'
import { outcomes } from '../upstream/api-outcomes.ts'

type Asked = { Params: { id: string }; Querystring: { urlPatterns?: string | string[] } }

/**
 * The shop's pages that match the URL patterns in a draft's form, before they are saved. The page
 * fetches this part again while the merchant types.
 */
export function draftMatches(app: FastifyInstance, { clock }: { clock: () => Date }): void {
  app.get<Asked>(paths.draftMatches(':id'), async (request, reply) => {
    const {
        params: { id },
        query: { urlPatterns },
      } = request,
      api = apiOf(request),
      { timeZone } = storeOf(request)
    const draft = await api.draft({ params: { id } })
    const stored = formOf(draft, timeZone)
    const form = typed(stored, {
      urlPatterns: typeof urlPatterns === 'string' ? urlPatterns : undefined,
    })
    const { urlPatterns: patterns, problems } = parseDraft(form, {
      origin: new URL(draft.previewUrls[0]).origin,
      timeZone,
      now: clock(),
      stored,
    })
    const pages = await outcomes.searchUrls(api, '')
    return barePage(
      request,
      reply,
      {},
      h(PatternMatches, {
        patterns: patterns.slice(0, 20),
        pages,
        problem: problems.find(({ field }) => field === 'urlPatterns')?.message,
      }),
    )
  })
}
