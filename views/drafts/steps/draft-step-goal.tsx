import type { Output } from '../../../domain/api/contract.ts'
import { formatCount } from '../../../domain/figures.ts'
import { goalNames, goals } from '../../../domain/reports/goal.ts'
import { StepCard, type DraftEditorProps } from '../draft-editor.tsx'
import { DraftField } from '../draft-field.tsx'
import { Icon } from '../../icons.tsx'
import { Island } from '../../island.tsx'

const meanings: Record<keyof typeof goals, string> = {
  ConversionRate: 'Visitors who buy at least once',
  AverageOrderValue: 'What an order is worth',
  RevenuePerSession: 'What a visitor is worth, buyers or not',
  ClickThroughRate: 'Visitors who click on a tested page',
  AddToCartRate: 'Visitors who put something in the cart',
}

export type GoalStepProps = DraftEditorProps & { plan: Output<'draftPlan'> }

const visitorsADay = (daily: number): string =>
  daily < 10 ? String(Number(daily.toFixed(1))) : formatCount(Math.round(daily))

/** The step for the hypothesis, the goal that decides the test, and its planned length. */
export function GoalStep({ draft, form, problems, timeZone, plan }: GoalStepProps) {
  return (
    <StepCard>
      <DraftField
        name="hypothesisDescription"
        label="Hypothesis"
        problems={problems}
        help="What you expect and why. It is shown beside the result."
        control={bound => (
          <textarea
            {...bound}
            rows={3}
            maxLength={2000}
            placeholder="If the button says when we ship, more visitors buy because they know when it arrives."
          >
            {form.hypothesisDescription}
          </textarea>
        )}
      />
      <fieldset class="choice-grid goal-choices">
        <legend>Goal that decides the test</legend>
        {goalNames.map(name => (
          <label key={name} class="choice">
            <input type="radio" name="goal" value={name} checked={form.goal === name} />
            <span class="choice-words">
              <span>{goals[name].label}</span>
              <small>{meanings[name]}</small>
            </span>
            <span class="choice-tick">
              <Icon name="check" />
            </span>
          </label>
        ))}
      </fieldset>
      <p class="note">All five are measured. Only this one decides the winner.</p>
      <section class="stack" aria-labelledby="length-heading">
        <h2 id="length-heading">How long will it take?</h2>
        <div class="field-pair">
          <DraftField
            name="minimumEffect"
            label="Smallest change worth finding"
            problems={problems}
            help="As a percentage of the control’s figure. Half the change needs four times the visitors."
            control={bound => (
              <span class="row">
                <input
                  {...bound}
                  class="input-short"
                  inputmode="decimal"
                  value={form.minimumEffect}
                />
                <span>%</span>
              </span>
            )}
          />
          {plan.source === 'shop' ? (
            <div class="field">
              <span class="field-label">Visitors a day</span>
              <b>{visitorsADay(plan.dailyVisitors)}</b>
              <span class="field-help">
                On the tested pages in your shop’s last 28 days
                {plan.sharedBy > 1 &&
                  `, shared with ${plan.sharedBy === 2 ? 'another running test' : `${plan.sharedBy - 1} other running tests`}`}
                .
              </span>
            </div>
          ) : (
            <DraftField
              name="expectedVisitors"
              label="Visitors you expect a day"
              problems={problems}
              help={
                plan.hasHistory
                  ? 'No visitors came to the tested pages in the last 28 days.'
                  : 'Your shop has too little history on what is tested. Used to plan the length only.'
              }
              control={bound => (
                <input
                  {...bound}
                  class="input-medium"
                  inputmode="numeric"
                  value={form.expectedVisitors}
                  placeholder="500"
                />
              )}
            />
          )}
        </div>
        <Island
          isLater
          id="length-planner"
          name="length-planner"
          props={{
            facts: {
              weights: draft.weights,
              spreads: plan.spreads,
              startAt: plan.startAt,
              sharedBy: plan.sharedBy,
            },
            choice: {
              goal: draft.goal,
              minimumEffect: draft.minimumEffect,
              dailyVisitors: plan.dailyVisitors * plan.sharedBy,
            },
            source: plan.source,
            hasHistory: plan.hasHistory,
            timeZone,
            form: 'draft',
          }}
        />
      </section>
    </StepCard>
  )
}
