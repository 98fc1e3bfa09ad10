import { h } from 'preact'
import { CodeStep } from '../../../views/drafts/steps/draft-step-code.tsx'
import type { StepModule } from './draft-step.ts'

export const codeStep: StepModule = { show: ({ props }) => ({ stage: h(CodeStep, props) }) }
