import * as Type from 'typebox'
import { audienceFields } from './audience-field.ts'
import { builtInAudiences, matchOperators } from './audience-match.ts'
import { closed, Instant, Maybe } from '../api/call.ts'

const Condition = Type.Object(
  {
    operator: Type.Enum([...matchOperators]),
    value: Type.String({ minLength: 1, maxLength: 500 }),
  },
  closed,
)

/**
 * The number of a condition field → operator and value. All conditions must hold
 * (requirements 27.8).
 */
export const AudienceConditions = Type.Object(
  Object.fromEntries(
    audienceFields.map(({ number }) => [number, Type.Optional(Condition)]),
  ) as Record<`${number}`, Type.TOptional<typeof Condition>>,
  { ...closed, minProperties: 1 },
)
export type AudienceConditions = Type.Static<typeof AudienceConditions>

export const AudienceInput = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 80 }), values: AudienceConditions },
  closed,
)
export type AudienceInput = Type.Static<typeof AudienceInput>

export const Audience = Type.Object({
  id: Type.String(),
  name: Type.String(),
  values: Type.Record(
    Type.String({ pattern: `^(${audienceFields.map(({ number }) => number).join('|')})$` }),
    Condition,
  ),
  /**
   * True for an audience that every store has and nobody can change. It has no conditions and no
   * dates.
   */
  isBuiltIn: Type.Boolean(),
  createdAt: Maybe(Instant),
  updatedAt: Maybe(Instant),
})
export type Audience = Type.Static<typeof Audience>

/** The capability that a draft's audiences need; null when all of them are built in. */
export const audienceCapability = (audienceIds: readonly string[]): 'CustomAudiences' | null =>
  audienceIds.every(id => builtInAudiences.some(each => each.id === id)) ? null : 'CustomAudiences'
