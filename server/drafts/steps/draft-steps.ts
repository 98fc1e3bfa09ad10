import type { DraftStep } from '../../../domain/drafts/draft-steps.ts'
import { changesStep } from './draft-step-changes.ts'
import { codeStep } from './draft-step-code.ts'
import { contentStep } from './draft-step-content.ts'
import { goalStep } from './draft-step-goal.ts'
import { pageStep } from './draft-step-page.ts'
import { pagesStep } from './draft-step-pages.ts'
import { productsStep } from './draft-step-products.ts'
import { reviewStep } from './draft-step-review.ts'
import { splitStep } from './draft-step-split.ts'
import { templateStep } from './draft-step-template.ts'
import { themeStep } from './draft-step-theme.ts'
import type { StepModule } from './draft-step.ts'

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
