import type { Audience, AudienceConditions, AudienceInput } from './audience.ts'
import { type ConditionField, conditionFields, type MatchOperator, matchOperators } from './audience-match.ts'
import type { FieldProblem } from './problem.ts'

/** Each condition field and operator as a person reads it. */
export const conditionLabels: Record<ConditionField, string> = {
  Channel: 'Channel', UtmSource: 'UTM source', UtmMedium: 'UTM medium', UtmCampaign: 'UTM campaign', UtmContent: 'UTM content', Url: 'First page', Referer: 'Referrer', Country: 'Country',
}
export const operatorLabels: Record<MatchOperator, string> = {
  Equals: 'equals', DoesNotEqual: 'does not equal', Contains: 'contains', DoesNotContain: 'does not contain',
  StartsWith: 'starts with', EndsWith: 'ends with', DoesNotStartWith: 'does not start with', DoesNotEndWith: 'does not end with',
}

/** What stands in an audience's fields: one row a condition field, in their order; a row without a value is no condition. */
export type AudienceForm = { name: string; rows: { operator: MatchOperator; value: string }[] }

export const audienceForm = ({ name, values }: Pick<Audience, 'name' | 'values'>): AudienceForm =>
  ({ name, rows: conditionFields.map((_, field) => values[field] ?? { operator: 'Equals', value: '' }) })

/** The fields as they were posted. */
export function postedAudience(posted: Record<string, string | string[] | undefined>): AudienceForm {
  const text = (name: string) => { const value = posted[name]; return typeof value === 'string' ? value : '' }
  return { name: text('name'), rows: conditionFields.map((_, field) => ({ operator: operatorOf(text(`values.${field}.operator`)), value: text(`values.${field}.value`) })) }
}
const operatorOf = (text: string): MatchOperator => matchOperators.find(operator => operator === text) ?? 'Equals'

/** The audience as the engine takes it, with a message at each field that keeps it from being one. */
export function parseAudience({ name, rows }: AudienceForm): { input: AudienceInput; problems: FieldProblem[] } {
  const problems: FieldProblem[] = []
  if (!name.trim()) problems.push({ field: 'name', message: 'Give the audience a name.' })
  else if (name.trim().length > 80) problems.push({ field: 'name', message: 'Keep it to 80 characters.' })
  const values: AudienceConditions = {}
  rows.forEach(({ operator, value }, field) => {
    if (value.trim().length > 500) problems.push({ field: `values.${field}.value`, message: 'Keep it to 500 characters.' })
    else if (value.trim()) values[`${field}`] = { operator, value: value.trim() }
  })
  if (rows.every(({ value }) => !value.trim())) problems.push({ field: 'values', message: 'Write at least one condition.' })
  return { input: { name: name.trim(), values }, problems }
}

/** "Channel equals Email and country equals DE" */
export function describeAudience(values: Audience['values']): string {
  const words = conditionFields.flatMap((name, field) => { const condition = values[field]; return condition ? [`${conditionLabels[name]} ${operatorLabels[condition.operator]} ${condition.value}`] : [] })
  return words.join(' and ')
}

/** "About 12% of visitors are in this audience." */
export function reachWords({ visitors, matching, share }: { visitors: number; matching: number; share: number | null }): string {
  if (share === null) return 'Your shop had no visitors in the last 28 days, so the audience size cannot be estimated.'
  if (matching === 0) return 'No visitor of the last 28 days is in this audience.'
  const percent = share >= 0.995 && matching < visitors ? 'over 99' : share < 0.01 ? 'less than 1' : String(Math.round(share * 100))
  return `About ${percent}% of visitors are in this audience: ${matching.toLocaleString('en-US')} of ${visitors.toLocaleString('en-US')} in the last 28 days.`
}
