import {
  type AudienceForm,
  choiceOperators,
  choicesOf,
  chosen,
  type ConditionRow,
  operatorLabels,
} from '../../domain/audiences/audience-form.ts'
import { type AudienceField, audienceFields } from '../../domain/audiences/audience-field.ts'
import { type MatchOperator, matchOperators } from '../../domain/audiences/audience-match.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import { Problem, Problems } from './draft-field.tsx'
import { Icon } from '../icons.tsx'

type Props = {
  form: AudienceForm
  problems: FieldProblem[]
  /** Where the buttons send the form. */
  action: string
  /** The condition that was added last. Its value gets the focus. */
  added: number | null
  reach: string | null
}

/**
 * The conditions, a button for each condition that can be added, and how many visitors match them.
 */
export function AudienceConditions({ form, problems, action, added, reach }: Props) {
  const part = {
    'hx-post': action,
    'hx-target': '#conditions',
    'hx-select': '#conditions',
    'hx-swap': 'outerHTML',
  }
  const rows = audienceFields.flatMap(field => {
    const row = form.rows[field.number]
    return row ? [{ field, row }] : []
  })
  const rest = audienceFields.filter(({ number }) => !form.rows[number])
  return (
    <div id="conditions" class="conditions">
      <fieldset class="stack-tight" data-field="values">
        <legend>Conditions</legend>
        <Problems problems={problems.filter(p => p.field === 'values')} of={['values']} />
        {rows.length > 0 ? (
          <p class="note">
            A visitor is in the audience when all conditions hold. Case is ignored.
          </p>
        ) : (
          <p class="note">Add the first condition.</p>
        )}
        {rows.map(each => (
          <Condition
            key={each.field.name}
            {...each}
            problems={problems}
            part={part}
            isAdded={each.field.number === added}
          />
        ))}
        {rest.length > 0 && (
          <div class="row" role="group" aria-label="Add a condition">
            {rest.map(({ name, number, label }) => (
              <button
                key={name}
                class="secondary small"
                name="act"
                value={`add:${number}`}
                aria-label={`Add a condition: ${label}`}
                {...part}
              >
                <Icon name="plus" />
                {label}
              </button>
            ))}
          </div>
        )}
      </fieldset>
      <div class="condition-reach">
        <button
          class="secondary small"
          name="act"
          value="preview"
          hx-post={action}
          hx-target="#reach"
          hx-select="#reach"
          hx-swap="outerHTML"
          disabled={rows.length === 0}
        >
          Estimate audience size
        </button>
        <output id="reach">{reach}</output>
      </div>
    </div>
  )
}

type ConditionProps = {
  field: AudienceField
  row: ConditionRow
  problems: FieldProblem[]
  part: Record<string, string>
  isAdded: boolean
}
function Condition({
  field: { name, number: field, label, hint, choices: all },
  row,
  problems,
  part,
  isAdded,
}: ConditionProps) {
  const value = `values.${field}.value`,
    problem = problems.find(p => p.field === value || p.field === `values.${field}`)
  const choices = choicesOf(name, row)
  const operators = choices ? choiceOperators : operatorLabels
  const bound = {
    name: value,
    'aria-label': all ? label : `${label}: what it is compared with`,
    autofocus: isAdded,
    'aria-invalid': problem ? ('true' as const) : undefined,
    'aria-describedby': problem ? `condition-${field}-problem` : undefined,
  }
  return (
    <div class="condition" data-field={value}>
      <span>{label}</span>
      <select name={`values.${field}.operator`} aria-label={`${label}: how it is compared`}>
        {matchOperators.map(
          (operator: MatchOperator) =>
            operators[operator] && (
              <option key={operator} value={operator} selected={operator === row.operator}>
                {operators[operator]}
              </option>
            ),
        )}
      </select>
      {choices ? (
        <select {...bound}>
          <option value="">Choose…</option>
          {choices.map(each => (
            <option
              key={each.value}
              value={each.value}
              selected={each === chosen(choices, row.value)}
            >
              {each.label}
            </option>
          ))}
        </select>
      ) : (
        <input {...bound} value={row.value} maxLength={500} placeholder={hint} autocomplete="off" />
      )}
      <button
        class="quiet icon-only small"
        name="act"
        value={`remove:${field}`}
        aria-label={`Remove the condition: ${label}`}
        title="Remove"
        {...part}
      >
        <Icon name="close" />
      </button>
      {problem && <Problem id={`condition-${field}-problem`} message={problem.message} />}
    </div>
  )
}
