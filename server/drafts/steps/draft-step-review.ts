import { h } from 'preact'
import { planWords } from '../../../domain/drafts/plan-words.ts'
import { ReviewStep } from '../../../views/drafts/steps/draft-step-review.tsx'
import { checkActs, checksShown } from '../draft-checks.ts'
import { reviewOfProducts } from './draft-step-products.ts'
import type { StepModule } from './draft-step.ts'

export const reviewStep: StepModule = {
  acts: checkActs,
  show: async ({ request, api, draft, props, reads }) => {
    const [audiences, themes, plan, checks, prices] = await Promise.all([
      draft.audienceIds.length > 0 ? api.audiences({}) : [],
      draft.kind === 'Theme' ? reads.orElse(api.themes({}), null) : [],
      api.draftPlan({ params: { id: draft.id } }),
      checksShown(request, api, draft),
      reviewOfProducts(api, draft),
    ])
    const names = draft.audienceIds.map(
      id => audiences.find(each => each.id === id)?.name ?? 'one that is no longer there',
    )
    return {
      ...(checks.dialogs && { dialogs: checks.dialogs }),
      stage: h(ReviewStep, {
        ...props,
        audiences: names,
        themes: themes && Object.fromEntries(themes.map(({ id, name }) => [id, name])),
        plan: planWords(plan, { minimumEffect: draft.minimumEffect, timeZone: props.timeZone }),
        checks: checks.list,
        prices,
      }),
    }
  },
}
