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

/** Each operator as a person reads it. */
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

/** How one of a list is compared. Any other comparison is of texts. */
export const choiceOperators: Partial<Record<MatchOperator, string>> = {
  Equals: 'is',
  DoesNotEqual: 'is not',
}

export type ConditionRow = { operator: MatchOperator; value: string }
/** What stands in an audience's fields: a row by each condition field's number; null where it has no condition. */
export type AudienceForm = { name: string; rows: { readonly [field: number]: ConditionRow | null } }
const rowsBy = (row: (field: number) => ConditionRow | null): AudienceForm['rows'] =>
  Object.fromEntries(audienceFields.map(({ number }) => [number, row(number)]))

/** The list that a condition is chosen from; null for one that is written: of a text, or with a comparison of texts. */
export function choicesOf(
  name: ConditionField,
  { operator, value }: ConditionRow,
): readonly ConditionChoice[] | null {
  const { choices } = fieldNamed(name)
  return choices && choiceOperators[operator] && (value.trim() === '' || chosen(choices, value))
    ? choices
    : null
}
/** What is compared ignores case. */
export const chosen = (
  choices: readonly ConditionChoice[],
  value: string,
): ConditionChoice | undefined =>
  choices.find(each => each.value.toLowerCase() === value.trim().toLowerCase())

/** The form with an empty condition on a field, or with none on it. */
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

/** The fields as they were posted. */
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

/** The audience as the engine takes it, with a message at each field that keeps it from being one. */
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

/** "About 12% of visitors are in this audience." */
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
