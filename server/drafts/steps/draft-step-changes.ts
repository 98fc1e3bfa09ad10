import { h } from 'preact'
import { DraftStage } from '../../../views/drafts/draft-stage.tsx'
import { ChangesAside } from '../../../views/drafts/steps/draft-step-changes.tsx'
import type { StepModule } from './draft-step.ts'

export const changesStep: StepModule = {
  show: async ({ api, props }) => ({
    stage: h(DraftStage, props),
    aside: h(ChangesAside, { ...props, brandStyle: await api.brandStyle({}) }),
  }),
}
