import type { Device } from '../device.ts'
import type { FieldNumber } from './audience-field.ts'

/*
 * Decides whether a visitor is in an audience. The storefront script uses this rule too, so there
 * is no schema and no table here.
 */

export const matchOperators = [
  'Equals',
  'DoesNotEqual',
  'Contains',
  'DoesNotContain',
  'StartsWith',
  'EndsWith',
  'DoesNotStartWith',
  'DoesNotEndWith',
] as const
export type MatchOperator = (typeof matchOperators)[number]

/** The number of a condition field → the condition on it. */
export type AudienceValues = {
  [field: string]: { operator: MatchOperator; value: string } | undefined
}
/**
 * What we know about a visitor, by the numbers of the fields. A missing value counts as empty text.
 */
export type AudienceFacts = { readonly [Field in FieldNumber]: string | null | undefined }

/**
 * Compares by parts of the operator's name, because a table of operators would make the shopper's
 * script larger.
 */
function holds(operator: MatchOperator, text: string, value: string): boolean {
  const isSo = /Eq/.test(operator)
    ? text === value
    : /Co/.test(operator)
      ? text.includes(value)
      : /St/.test(operator)
        ? text.startsWith(value)
        : text.endsWith(value)
  return isSo !== operator.startsWith('Do')
}

/**
 * Whether all conditions hold. Upper and lower case are equal. For a missing value only the "Does
 * not …" operators hold. A field that this script does not know never holds.
 */
export const matchesConditions = (values: AudienceValues, facts: AudienceFacts): boolean =>
  Object.entries(values).every(
    ([field, condition]) =>
      !condition ||
      (field in facts &&
        holds(
          condition.operator,
          (facts[field as `${FieldNumber}`] ?? '').toLowerCase(),
          condition.value.toLowerCase(),
        )),
  )

export type VisitorTraits = { isReturning: boolean; device: Device }
/** Audiences that every store has. Their ids never change, and merchants cannot edit them. */
export const builtInAudiences: readonly {
  id: string
  name: string
  has: (visitor: VisitorTraits) => boolean
}[] = /* @__PURE__ */ ['Everyone', 'New visitors', 'Returning visitors', 'Phones', 'Desktops'].map(
  (name, i) => ({
    id: `00000000-0000-4000-8000-00000000000${i + 1}`,
    name,
    has: visitor => isInBuiltIn(i + 1, visitor),
  }),
)

/**
 * The id of "Everyone". A visitor needs to be in only one of a test's audiences, so this one makes
 * all others useless.
 */
export const everyone = '00000000-0000-4000-8000-000000000001'

/** Whether a visitor is in a built-in audience. `number` is the last digit of its id. */
export const isInBuiltIn = (number: number, { isReturning, device }: VisitorTraits): boolean =>
  [true, !isReturning, isReturning, device === 'phone', device === 'desktop'][number - 1] ?? false

/**
 * Whether a visitor is in an audience. `audience` is the number of a built-in one, or the
 * conditions of a store's own.
 */
export const isInAudience = (
  audience: number | AudienceValues,
  facts: AudienceFacts,
  visitor: VisitorTraits,
): boolean =>
  typeof audience === 'number' ? isInBuiltIn(audience, visitor) : matchesConditions(audience, facts)

/**
 * An audience as `isInAudience` takes it: the number of a built-in one, or the conditions of a
 * store's own.
 */
export const audienceRef = ({
  id,
  values,
}: {
  id: string
  values: AudienceValues
}): number | AudienceValues =>
  builtInAudiences.some(audience => audience.id === id) ? Number(id.at(-1)) : values
