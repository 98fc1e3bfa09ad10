import { h } from 'preact'
import { GoalStep } from '../../../views/drafts/steps/draft-step-goal.tsx'
import type { StepModule } from './draft-step.ts'

export const goalStep: StepModule = {
  show: async ({ api, draft, props }) => ({
    stage: h(GoalStep, { ...props, plan: await api.draftPlan({ params: { id: draft.id } }) }),
  }),
}
