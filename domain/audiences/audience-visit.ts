import { audienceFields, type ConditionField } from './audience-field.ts'
import {
  type AudienceFacts,
  audienceRef,
  type AudienceValues,
  isInAudience,
  matchesConditions,
  type VisitorTraits,
} from './audience-match.ts'

/**
 * What we know about a visitor, by the names of the fields. A missing value counts as empty text.
 */
export type AudienceVisit = { [F in ConditionField]?: string | null | undefined }

const factsOf = (visit: AudienceVisit): AudienceFacts =>
  Object.fromEntries(
    audienceFields.map(({ number, name }) => [number, visit[name]]),
  ) as AudienceFacts

export const matchesAudience = (values: AudienceValues, visit: AudienceVisit): boolean =>
  matchesConditions(values, factsOf(visit))

/**
 * Whether a visitor is in one of a test's audiences; a test without audiences is for everyone
 * (requirements 27.7).
 */
export const isInAnyAudience = (
  audiences: readonly { id: string; values: AudienceValues }[],
  visit: AudienceVisit,
  visitor: VisitorTraits,
): boolean =>
  audiences.length === 0 ||
  audiences.some(audience => isInAudience(audienceRef(audience), factsOf(visit), visitor))
