/** @jsxImportSource react */
import { useEffect, useRef } from 'react'
import { formatLimit, visitorSteps } from '../../domain/plans/plan.ts'
import type { PlanChoice } from '../../domain/plans/plan-offer.ts'
import { annualSavingBadge } from '../../domain/plans/plan-price.ts'
import { stepWords } from '../../domain/plans/plan-words.ts'

type PlanControlsProps = {
  choice: PlanChoice
  page: string
  carried: Record<string, string>
  onChoose: (change: Partial<PlanChoice>) => void
}

/**
 * The slider and the toggle. The slider is the browser's own, so that keys, touch and screen
 * readers work as everywhere, also without script. Its value is the number of the step: the steps
 * are not evenly spaced.
 */
export function PlanControls({ choice, page, carried, onChoose }: PlanControlsProps) {
  const annual = useRef<HTMLInputElement>(null)
  // The period may have been chosen before this script ran. roots.ts takes care of the slider.
  useEffect(() => {
    const isAnnual = annual.current!.checked
    if (isAnnual !== choice.isAnnual) onChoose({ isAnnual })
  }, [])

  const at = visitorSteps.findIndex(step => step === choice.visitors)
  return (
    <form
      className="card plan-controls"
      action={page}
      aria-label="Size and billing"
      onSubmit={event => event.preventDefault()}
    >
      {Object.entries(carried).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <div className="range-field">
        <label htmlFor="plan-visitors">Monthly visitors</label>
        <div className="range">
          <div className="range-steps" aria-hidden="true">
            {visitorSteps.map((visitors, step) => (
              <span
                key={visitors}
                data-passed={step <= at || undefined}
                data-chosen={step === at || undefined}
                onClick={() => onChoose({ visitors })}
              >
                {formatLimit(visitors)}
              </span>
            ))}
          </div>
          <input
            id="plan-visitors"
            type="range"
            name="step"
            min={0}
            max={visitorSteps.length - 1}
            step={1}
            value={at}
            aria-valuetext={stepWords(choice.visitors)}
            onChange={({ target }) => onChoose({ visitors: visitorSteps[Number(target.value)]! })}
          />
        </div>
      </div>
      <div className="billing-field">
        <fieldset className="segmented">
          <legend className="visually-hidden">Billing</legend>
          <label>
            <input
              type="radio"
              name="billing"
              value="monthly"
              checked={!choice.isAnnual}
              onChange={() => onChoose({ isAnnual: false })}
            />
            Monthly
          </label>
          <label>
            <input
              ref={annual}
              type="radio"
              name="billing"
              value="annual"
              checked={choice.isAnnual}
              onChange={() => onChoose({ isAnnual: true })}
            />
            {'Annual '}
            <span className="badge" data-tone="good">
              {annualSavingBadge}
            </span>
          </label>
        </fieldset>
        <span className="note">All visitors to your shop count, not only those in tests.</span>
      </div>
      <noscript>
        <button className="secondary small">Show plans</button>
      </noscript>
    </form>
  )
}
