import type { Device } from './device.ts'

/**
 * Who is in an audience. No schema here: the storefront script judges a visitor by the same rule as the engine. The
 * numbers of the condition fields are those of `conditionFields`, in the order of spec §3.
 */
export const conditionFields = ['Channel', 'UtmSource', 'UtmMedium', 'UtmCampaign', 'UtmContent', 'Url', 'Referer', 'Country'] as const
export type ConditionField = (typeof conditionFields)[number]
export const matchOperators = ['Equals', 'DoesNotEqual', 'Contains', 'DoesNotContain', 'StartsWith', 'EndsWith', 'DoesNotStartWith', 'DoesNotEndWith'] as const
export type MatchOperator = (typeof matchOperators)[number]

/** Condition field's number → what must hold of it. */
export type AudienceValues = { [field: string]: { operator: MatchOperator; value: string } | undefined }
/** What is known of a visitor; what is missing is as good as empty. */
export type AudienceVisit = { [F in ConditionField]?: string | null | undefined }

const holds: Record<MatchOperator, (text: string, value: string) => boolean> = {
  Equals: (text, value) => text === value,
  DoesNotEqual: (text, value) => text !== value,
  Contains: (text, value) => text.includes(value),
  DoesNotContain: (text, value) => !text.includes(value),
  StartsWith: (text, value) => text.startsWith(value),
  EndsWith: (text, value) => text.endsWith(value),
  DoesNotStartWith: (text, value) => !text.startsWith(value),
  DoesNotEndWith: (text, value) => !text.endsWith(value),
}

/** Whether all conditions hold. Case is ignored; where nothing is known, only what denies something holds. */
export function matchesAudience(values: AudienceValues, visit: AudienceVisit): boolean {
  return Object.entries(values).every(([field, condition]) => {
    const name = conditionFields[Number(field)]
    return !condition || (name !== undefined && holds[condition.operator]((visit[name] ?? '').toLowerCase(), condition.value.toLowerCase()))
  })
}

export type VisitorTraits = { isReturning: boolean; device: Device }
/** Audiences that every store has, by ids that never change; nobody can alter them. */
export const builtInAudiences: readonly { id: string; name: string; has: (visitor: VisitorTraits) => boolean }[] = [
  { id: builtInId(1), name: 'Everyone', has: () => true },
  { id: builtInId(2), name: 'New visitors', has: ({ isReturning }) => !isReturning },
  { id: builtInId(3), name: 'Returning visitors', has: ({ isReturning }) => isReturning },
  { id: builtInId(4), name: 'Phones', has: ({ device }) => device === 'phone' },
  { id: builtInId(5), name: 'Desktops', has: ({ device }) => device === 'desktop' },
]

function builtInId(number: number): string {
  return `00000000-0000-4000-8000-00000000000${number}`
}

/** Whether a visitor is in one of a test's audiences; a test without audiences is for everyone (design.md §12: any of several). */
export function isInAnyAudience(audiences: readonly { id: string; values: AudienceValues }[], visit: AudienceVisit, visitor: VisitorTraits): boolean {
  return audiences.length === 0 || audiences.some(({ id, values }) => {
    const builtIn = builtInAudiences.find(audience => audience.id === id)
    return builtIn ? builtIn.has(visitor) : matchesAudience(values, visit)
  })
}
