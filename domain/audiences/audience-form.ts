import type { Audience, AudienceConditions, AudienceInput } from './audience.ts'
import {
  audienceFields,
  type ConditionChoice,
  type ConditionField,
  fieldNamed,
} from './audience-field.ts'
import { type MatchOperator, matchOperators } from './audience-match.ts'
import type { FieldProblem } from '../problem.ts'
import { unkeptWords } from '../stores/kept-address.ts'

/** Each operator in words. */
export const operatorLabels: Record<MatchOperator, string> = {
  Equals: 'equals',
  DoesNotEqual: 'does not equal',
  Contains: 'contains',
  DoesNotContain: 'does not contain',
  StartsWith: 'starts with',
  EndsWith: 'ends with',
  DoesNotStartWith: 'does not start with',
  DoesNotEndWith: 'does not end with',
}

/** The operators that compare with a choice from a list. All other operators compare texts. */
export const choiceOperators: Partial<Record<MatchOperator, string>> = {
  Equals: 'is',
  DoesNotEqual: 'is not',
}

export type ConditionRow = { operator: MatchOperator; value: string }
/**
 * What an audience's form holds. `rows` has an entry for the number of each condition field: null
 * when there is no condition on it.
 */
export type AudienceForm = { name: string; rows: { readonly [field: number]: ConditionRow | null } }
const rowsBy = (row: (field: number) => ConditionRow | null): AudienceForm['rows'] =>
  Object.fromEntries(audienceFields.map(({ number }) => [number, row(number)]))

/**
 * The choices for a condition's value. Null when the merchant types the value: the field has no
 * list, or the operator compares texts, or the typed value is not in the list.
 */
export function choicesOf(
  name: ConditionField,
  { operator, value }: ConditionRow,
): readonly ConditionChoice[] | null {
  const { choices } = fieldNamed(name)
  return choices && choiceOperators[operator] && (value.trim() === '' || chosen(choices, value))
    ? choices
    : null
}
/** The choice that a typed value names. Upper and lower case are equal. */
export const chosen = (
  choices: readonly ConditionChoice[],
  value: string,
): ConditionChoice | undefined =>
  choices.find(each => each.value.toLowerCase() === value.trim().toLowerCase())

/** A copy of the form with another condition on a field, or with none (`row` null). */
export const withCondition = (
  { name, rows }: AudienceForm,
  field: number,
  row: ConditionRow | null,
): AudienceForm => ({ name, rows: { ...rows, [field]: row } })
export const emptyCondition: ConditionRow = { operator: 'Equals', value: '' }

export const audienceForm = ({
  name,
  values,
}: Pick<Audience, 'name' | 'values'>): AudienceForm => ({
  name,
  rows: rowsBy(field => values[field] ?? null),
})

/** Reads the form from posted fields. An unknown operator becomes `Equals`. */
export function postedAudience(
  posted: Record<string, string | string[] | undefined>,
): AudienceForm {
  const text = (name: string) => {
    const value = posted[name]
    return typeof value === 'string' ? value : ''
  }
  return {
    name: text('name'),
    rows: rowsBy(field =>
      posted[`values.${field}.operator`] === undefined &&
      posted[`values.${field}.value`] === undefined
        ? null
        : {
            operator: operatorOf(text(`values.${field}.operator`)),
            value: text(`values.${field}.value`),
          },
    ),
  }
}
const operatorOf = (text: string): MatchOperator =>
  matchOperators.find(operator => operator === text) ?? 'Equals'

/**
 * Makes the engine's input from the form. `problems` has a message for each field that is not
 * valid.
 */
export function parseAudience({ name, rows }: AudienceForm): {
  input: AudienceInput
  problems: FieldProblem[]
} {
  const problems: FieldProblem[] = []
  if (!name.trim()) problems.push({ field: 'name', message: 'Give the audience a name.' })
  else if (name.trim().length > 80)
    problems.push({ field: 'name', message: 'Keep it to 80 characters.' })
  const values: AudienceConditions = {}
  for (const { number: field, label, choices } of audienceFields) {
    const row = rows[field]
    if (!row) continue
    const { operator, value } = row
    if (!value.trim())
      problems.push({
        field: `values.${field}.value`,
        message: choices
          ? `Choose a ${label.toLowerCase()}, or remove the condition.`
          : 'Write a value, or remove the condition.',
      })
    else if (value.trim().length > 500)
      problems.push({ field: `values.${field}.value`, message: 'Keep it to 500 characters.' })
    else values[`${field}`] = { operator, value: value.trim() }
  }
  if (audienceFields.every(({ number }) => !rows[number]))
    problems.push({ field: 'values', message: 'Add at least one condition.' })
  return { input: { name: name.trim(), values }, problems }
}

/** "Channel is Email and Country is Germany" */
export function describeAudience(values: Audience['values']): string {
  const words = audienceFields.flatMap(({ number, name, label }) => {
    const condition = values[number]
    if (!condition) return []
    const choices = choicesOf(name, condition)
    return [
      `${label} ${(choices && choiceOperators[condition.operator]) ?? operatorLabels[condition.operator]} ${(choices && chosen(choices, condition.value)?.label) ?? condition.value}`,
    ]
  })
  return words.join(' and ')
}

/**
 * Says how many visitors of the last 28 days are in an audience: "About 12% of visitors are in this
 * audience …".
 */
export const reachWords = ({ isBlind, ...reach }: Reach & { isBlind: boolean }): string =>
  isBlind && reach.share !== null ? `${reached(reach)} ${unkeptWords}` : reached(reach)

type Reach = { visitors: number; matching: number; share: number | null }
function reached({ visitors, matching, share }: Reach): string {
  if (share === null)
    return 'Your shop had no visitors in the last 28 days, so the audience size cannot be estimated.'
  if (matching === 0) return 'No visitor of the last 28 days is in this audience.'
  const percent =
    share >= 0.995 && matching < visitors
      ? 'Over 99'
      : share < 0.01
        ? 'Less than 1'
        : `About ${Math.round(share * 100)}`
  return `${percent}% of visitors are in this audience: ${matching.toLocaleString('en-US')} of ${visitors.toLocaleString('en-US')} in the last 28 days.`
}
