import type { PlanChooserProps } from '../../islands/plans/plan-chooser.tsx'
import { Icon } from '../icons.tsx'
import { Island } from '../island.tsx'
import { PlanLead, type LeadProps } from './plan-lead.tsx'

export type ChooserProps = {
  chooser: PlanChooserProps
  problem: string | null
  lead: LeadProps | null
}

/** The plans to choose from, with what is wrong above them and the dialog for a custom plan. */
export const PlanChooser = ({ chooser, problem, lead }: ChooserProps) => (
  <>
    {problem && (
      <p class="banner" data-tone="bad" role="alert">
        <Icon name="warning" />
        <span>{problem}</span>
      </p>
    )}
    <Island id="plans" name="plan-chooser" props={chooser} isLater />
    {lead && <PlanLead {...lead} />}
  </>
)
