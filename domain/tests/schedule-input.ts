import * as Type from 'typebox'
import { closed, Maybe } from '../api/call.ts'

/**
 * An instant in ISO 8601 with its offset from UTC; seconds and up to nine decimal places are
 * optional.
 */
export const InstantInput = Type.String({
  maxLength: 35,
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})$',
})
/** A field that is left out keeps its value; null removes it. */
export const ScheduleInput = Type.Object(
  {
    launchAt: Type.Optional(Maybe(InstantInput)),
    automaticallyEndAt: Type.Optional(Maybe(InstantInput)),
  },
  closed,
)
export type ScheduleInput = Type.Static<typeof ScheduleInput>
