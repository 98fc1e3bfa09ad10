import { h } from 'preact'
import { PagesStep } from '../../../views/drafts/steps/draft-step-pages.tsx'
import type { StepModule } from './draft-step.ts'

export const pagesStep: StepModule = {
  show: ({ props, draft }) => ({
    stage: h(PagesStep, props),
    ...(draft.kind === 'UrlRedirect' && { ownContinue: true as const }),
  }),
  acts: {
    swap: async ({ api, draft }) => {
      await api.setControl({
        params: { id: draft.id },
        body: { redirectTestUrl: draft.redirectUrl },
      })
    },
  },
}
