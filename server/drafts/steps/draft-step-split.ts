import type { FastifyRequest } from 'fastify'
import { h } from 'preact'
import type { Api } from '../../../domain/api/api-client.ts'
import { reachWords } from '../../../domain/audiences/audience-form.ts'
import { planWords } from '../../../domain/drafts/plan-words.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import { SplitStep } from '../../../views/drafts/steps/draft-step-split.tsx'
import { isOpen } from '../../session/access.ts'
import { audienceDialog } from '../draft-audience-dialog.ts'
import type { ShowContext, StepModule } from './draft-step.ts'
import { queryOf } from '../../http/query.ts'

export const splitStep: StepModule = {
  show: async context => {
    const { api, request, draft, props } = context
    const [audiences, plan, reach] = await Promise.all([
      api.audiences({}),
      api.draftPlan({ params: { id: draft.id } }),
      reachOf(api, draft.audienceIds),
    ])
    const closed = isOpen(request, 'CustomAudiences') ? null : ('CustomAudiences' as const)
    const dialogs = await dialogOf(request, context)
    return {
      stage: h(SplitStep, {
        ...props,
        audiences,
        closed,
        reach,
        plan: planWords(plan, { minimumEffect: draft.minimumEffect, timeZone: props.timeZone }),
      }),
      ...(dialogs && { dialogs }),
    }
  },
  acts: {
    audience: async (_, id) => ({ audience: id || 'new' }),
  },
}

/** The audience dialog that the address asks for, or null. */
async function dialogOf(request: FastifyRequest, { api, draft }: ShowContext) {
  const wanted = queryOf(request).get('audience')
  if (wanted === null || request.method !== 'GET' || !isOpen(request, 'CustomAudiences'))
    return null
  return audienceDialog(api, draft.id, wanted, {
    isDeleting: queryOf(request).get('ask') === 'delete-audience',
  })
}

/**
 * The size of the chosen audiences, in words. Null when none is chosen, when one of them no longer
 * exists, and when the plan does not open them.
 */
export async function reachOf(api: Api, audienceIds: string[]): Promise<string | null> {
  if (audienceIds.length === 0) return null
  try {
    return reachWords(await api.previewAudience({ body: { audienceIds } }))
  } catch (error) {
    if (error instanceof HttpProblem && [400, 403].includes(error.status)) return null
    throw error
  }
}
