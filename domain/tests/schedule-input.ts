import * as Type from 'typebox'
import { closed, Maybe } from '../api/call.ts'

/** An instant as it is sent: with its offset, to the millisecond at most. */
export const InstantInput = Type.String({
  maxLength: 35,
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2})$',
})
/** What is left out stays as it is; null takes it away. */
export const ScheduleInput = Type.Object(
  {
    launchAt: Type.Optional(Maybe(InstantInput)),
    automaticallyEndAt: Type.Optional(Maybe(InstantInput)),
  },
  closed,
)
export type ScheduleInput = Type.Static<typeof ScheduleInput>
