import { h } from 'preact'
import type { DraftStep } from '../../../domain/drafts/draft-steps.ts'
import { paths } from '../../../domain/paths.ts'
import { GoalStep } from '../../../views/drafts/steps/draft-step-goal.tsx'
import { PagesStep } from '../../../views/drafts/steps/draft-step-pages.tsx'
import { DraftStage } from '../../../views/drafts/draft-stage.tsx'
import { ChangesAside } from '../../../views/drafts/steps/draft-step-changes.tsx'
import { CodeStep } from '../../../views/drafts/steps/draft-step-code.tsx'
import { carriedTo } from '../../http/query.ts'
import { swapArms } from '../draft-swap.ts'
import { contentStep } from './draft-step-content.ts'
import { pageStep } from './draft-step-page.ts'
import { productsStep } from './draft-step-products.ts'
import { reviewStep } from './draft-step-review.ts'
import { splitStep } from './draft-step-split.ts'
import { templateStep } from './draft-step-template.ts'
import { themeStep } from './draft-step-theme.ts'
import type { StepModule } from './draft-step.ts'

/* Steps that show only what the draft holds, with at most one act. */

const goalStep: StepModule = {
  show: async ({ api, draft, props }) => ({
    stage: h(GoalStep, { ...props, plan: await api.draftPlan({ params: { id: draft.id } }) }),
  }),
}

const pagesStep: StepModule = {
  show: ({ props, draft }) => ({
    stage: h(PagesStep, props),
    ...(draft.kind === 'UrlRedirect' && { ownContinue: true as const }),
  }),
  acts: { swap: swapArms },
}

const changesStep: StepModule = {
  show: async ({ request, api, draft, props }) => ({
    stage: h(DraftStage, props),
    aside: h(ChangesAside, {
      ...props,
      brandStyle: await api.brandStyle({}),
      uploadsTo: carriedTo(request, paths.draftUploads(draft.id)),
    }),
  }),
}

const codeStep: StepModule = { show: ({ props }) => ({ stage: h(CodeStep, props) }) }

/** Every step of the editor; domain/drafts/draft-steps.ts says how one is added. */
export const stepModules: Record<DraftStep, StepModule> = {
  goal: goalStep,
  theme: themeStep,
  template: templateStep,
  page: pageStep,
  content: contentStep,
  pages: pagesStep,
  changes: changesStep,
  products: productsStep,
  code: codeStep,
  split: splitStep,
  review: reviewStep,
}
