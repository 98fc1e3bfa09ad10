import { h } from 'preact'
import { GoalStep } from '../views/draft-step-goal.tsx'
import type { StepModule } from './draft-step.ts'

export const goalStep: StepModule = { show: ({ props }) => ({ stage: h(GoalStep, props) }) }
