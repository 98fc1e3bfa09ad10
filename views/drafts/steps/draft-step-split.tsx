import type { Audience } from '../../../domain/audiences/audience.ts'
import { describeAudience } from '../../../domain/audiences/audience-form.ts'
import { everyone } from '../../../domain/audiences/audience-match.ts'
import type { Capability } from '../../../domain/access.ts'
import { closedMessage, opensWith } from '../../../domain/access.ts'
import { paths } from '../../../domain/paths.ts'
import type { PlanWords } from '../../../domain/drafts/plan-words.ts'
import { ClosedAction } from '../../closed.tsx'
import { StepCard, type DraftEditorProps } from '../draft-editor.tsx'
import { DraftField, DraftGroup, Problem } from '../draft-field.tsx'
import { Icon } from '../../icons.tsx'

export type SplitStepProps = DraftEditorProps & {
  audiences: Audience[]
  /** The capability that the store lacks for audiences of its own; null when it may use them. */
  closed: Capability | null
  /** Size of the chosen audiences, in words; null while none is chosen. */
  reach: string | null
  plan: PlanWords
}

/** The step that says who takes part, in which shares, and for how long. */
export function SplitStep(props: SplitStepProps) {
  const { form, problems } = props
  return (
    <StepCard>
      <Audiences {...props} />
      <Shares {...props} />
      <PlanNote {...props} />
      <div class="field-pair">
        <DraftField
          name="controlTitle"
          label="Name of the control"
          problems={problems}
          control={bound => <input {...bound} value={form.controlTitle} maxLength={120} />}
        />
        <DraftField
          name="variantTitle"
          label="Name of the variant"
          problems={problems}
          control={bound => <input {...bound} value={form.variantTitle} maxLength={120} />}
        />
      </div>
      <Schedule {...props} />
    </StepCard>
  )
}

function Audiences({ draft, form, problems, audiences, closed, reach }: SplitStepProps) {
  const gone = form.audienceIds.filter(id => !audiences.some(each => each.id === id))
  const own = audiences.filter(each => !each.isBuiltIn),
    builtIn = audiences.filter(each => each.isBuiltIn && each.id !== everyone)
  const choice = (value: typeof form.audienceFor, label: string) => (
    <label class="check">
      <input type="radio" name="audienceFor" value={value} checked={form.audienceFor === value} />
      {label}
    </label>
  )
  return (
    <DraftGroup
      name="audienceIds"
      problems={problems}
      class="stack-tight audience-choice"
      label={<h2>Audience</h2>}
      help="Visitors are checked once, when they first reach the test."
    >
      <input type="hidden" name="audienceIds" value="" />
      {choice('everyone', 'Everyone')}
      {choice('some', 'Visitors in any of these audiences')}
      <ul class="check-list audience-some">
        {[...builtIn, ...own].map(({ id, name, values, isBuiltIn }) => (
          <li key={id}>
            <label class="check">
              <input
                type="checkbox"
                name="audienceIds"
                value={id}
                checked={form.audienceIds.includes(id)}
                disabled={!isBuiltIn && closed !== null && !form.audienceIds.includes(id)}
              />
              {name}
              {!isBuiltIn && <span class="note">{describeAudience(values)}</span>}
            </label>
            {!isBuiltIn && closed && (
              <span class="badge" data-tone="neutral">
                {opensWith(closed)} plan
              </span>
            )}
            {!isBuiltIn && closed && form.audienceIds.includes(id) && (
              <span class="field-error">
                <Icon name="warning" />
                Your plan does not include this audience. Remove it before you launch.
              </span>
            )}
            {!isBuiltIn && !closed && (
              <button
                class="link"
                name="act"
                value={`split.audience:${id}`}
                aria-label={`Edit audience ${name}`}
              >
                Edit
              </button>
            )}
          </li>
        ))}
        {gone.map(id => (
          <li key={id}>
            <label class="check">
              <input type="checkbox" name="audienceIds" value={id} checked />
              <span class="field-error">
                <Icon name="warning" />
                This audience no longer exists
              </span>
            </label>
          </li>
        ))}
      </ul>
      {closed ? (
        <p class="note">
          {closedMessage(closed)}{' '}
          <ClosedAction
            capability={closed}
            at={`${paths.draft(draft.id)}?step=split`}
            class="link"
          />
        </p>
      ) : (
        <div class="row">
          <button class="secondary small" name="act" value="split.audience:new">
            <Icon name="plus" />
            New audience
          </button>
        </div>
      )}
      <p id="audience-reach" data-fresh>
        {reach && (
          <>
            <Icon name="person" /> {reach}
          </>
        )}
      </p>
    </DraftGroup>
  )
}

function Shares({ form, problems }: SplitStepProps) {
  const weights = problems.find(p => p.field === 'weights')
  const share = (name: 'controlWeight' | 'variantWeight', label: string, mark: string) => (
    <label class="field">
      <span class="arm">
        <span class={mark} />
        {label}
      </span>
      <span class="row">
        <input
          class="input-short"
          name={name}
          value={form[name]}
          inputmode="decimal"
          aria-invalid={weights ? 'true' : undefined}
          aria-describedby={weights ? 'weights-problem' : 'weights-help'}
        />
        <span>%</span>
      </span>
    </label>
  )
  return (
    <section class="stack-tight" aria-labelledby="split-heading" data-field="weights">
      <h2 id="split-heading">Split</h2>
      <div class="row row-wide">
        {share('controlWeight', 'Control', 'arm-mark arm-mark-control')}
        {share('variantWeight', 'Variant', 'arm-mark')}
      </div>
      {weights && <Problem id="weights-problem" message={weights.message} />}
      <span class="field-help" id="weights-help">
        An even split gives a result soonest. The split cannot be changed after launch, and each
        visitor stays in one arm.
      </span>
    </section>
  )
}

/** The planned length with the shop's traffic, for the stored draft. */
const PlanNote = ({ plan }: SplitStepProps) => (
  <p class="banner" id="plan" data-fresh data-tone={plan.isEnough ? 'accent' : 'warn'}>
    <Icon name={plan.isEnough ? 'clock' : 'warning'} />
    <span>
      <strong>
        Planned length: {plan.title.charAt(0).toLowerCase()}
        {plan.title.slice(1)}.
      </strong>{' '}
      {plan.text}
    </span>
  </p>
)

function Schedule({ form, problems, timeZone }: SplitStepProps) {
  return (
    <section class="stack-tight" aria-labelledby="schedule-heading">
      <h2 id="schedule-heading">Schedule</h2>
      <p class="note">Times are in your shop’s time zone: {timeZone.replaceAll('_', ' ')}.</p>
      <div class="field-pair">
        <DraftField
          name="launchAt"
          label="Start"
          problems={problems}
          help="Leave empty to start when you launch."
          control={bound => <input {...bound} type="datetime-local" value={form.launchAt} />}
        />
        <DraftField
          name="automaticallyEndAt"
          label="Automatic end"
          problems={problems}
          help="At least a day after the start. Leave empty to end it yourself."
          control={bound => (
            <input {...bound} type="datetime-local" value={form.automaticallyEndAt} />
          )}
        />
      </div>
    </section>
  )
}
