import { goalNames, goals } from '../domain/goal.ts'
import { StepCard, type DraftEditorProps } from './draft-editor.tsx'
import { DraftField } from './draft-field.tsx'
import { Icon } from './icons.tsx'

const meanings: Record<keyof typeof goals, string> = {
  ConversionRate: 'Visitors who buy at least once', AverageOrderValue: 'What an order is worth', RevenuePerSession: 'What a visitor is worth, buyers or not',
  ClickThroughRate: 'Visitors who click on a tested page', AddToCartRate: 'Visitors who put something in the cart',
}

/** What is believed, and the figure that decides. */
export function GoalStep({ form, problems }: DraftEditorProps) {
  return (
    <StepCard>
      <DraftField name="hypothesisDescription" label="Hypothesis" problems={problems} help="What you believe and why. It stands beside the result, so that you know later what was tested."
        control={bound => <textarea {...bound} rows={3} maxLength={2000} placeholder="If the button says when we ship, more visitors buy, because they need not ask.">{form.hypothesisDescription}</textarea>} />
      <fieldset class="choice-grid goal-choices">
        <legend>Goal that decides the test</legend>
        {goalNames.map(name => (
          <label key={name} class="choice">
            <input type="radio" name="goal" value={name} checked={form.goal === name} />
            <span class="choice-words"><span>{goals[name].label}</span><small>{meanings[name]}</small></span>
            <span class="choice-tick"><Icon name="check" /></span>
          </label>
        ))}
      </fieldset>
      <p class="note">All five are measured. Only this one names a winner.</p>
      <DraftField name="minimumEffect" label="Smallest change worth finding" problems={problems} help="In percent of the control’s figure. A smaller change needs many more visitors: half the change, four times the visitors."
        control={bound => <span class="row"><input {...bound} class="input-short" inputmode="decimal" value={form.minimumEffect} /><span>%</span></span>} />
    </StepCard>
  )
}
