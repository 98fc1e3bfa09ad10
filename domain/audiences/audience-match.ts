import type { Device } from '../device.ts'
import type { FieldNumber } from './audience-field.ts'

/*
 * Who is in an audience. No schema and no table here: the storefront script judges a visitor by the same rule as the
 * engine.
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

/** Condition field's number → what must hold of it. */
export type AudienceValues = {
  [field: string]: { operator: MatchOperator; value: string } | undefined
}
/** What is known of a visitor, by the fields' numbers; what is missing is as good as empty. */
export type AudienceFacts = { readonly [Field in FieldNumber]: string | null | undefined }

/** Written by what the operators' names say, so that a shopper's script is spared a table of them. */
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

/** Whether all conditions hold. Case is ignored; where nothing is known, only what denies something holds. */
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
/** Audiences that every store has, by ids that never change; nobody can alter them. */
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

/** Beside others it makes them mean nothing: any of several is enough. */
export const everyone = '00000000-0000-4000-8000-000000000001'

/** The built-in audiences by their number, which ends their id. */
export const isInBuiltIn = (number: number, { isReturning, device }: VisitorTraits): boolean =>
  [true, !isReturning, isReturning, device === 'phone', device === 'desktop'][number - 1] ?? false

/** Whether a visitor is in an audience: one that every store has, by its number, or an own one by its conditions. */
export const isInAudience = (
  audience: number | AudienceValues,
  facts: AudienceFacts,
  visitor: VisitorTraits,
): boolean =>
  typeof audience === 'number' ? isInBuiltIn(audience, visitor) : matchesConditions(audience, facts)

/** What the rule asks of an audience: of one that every store has, its number says all. */
export const audienceRef = ({
  id,
  values,
}: {
  id: string
  values: AudienceValues
}): number | AudienceValues =>
  builtInAudiences.some(audience => audience.id === id) ? Number(id.at(-1)) : values
