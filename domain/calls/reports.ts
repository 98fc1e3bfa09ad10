import * as Type from 'typebox'
import { type Call, closed, IdParam } from '../call.ts'
import { DailyPoint } from '../summary.ts'

export const reportCalls = {
  /** {metric}: one of spec §3's; this slice answers the five goals' names. An unknown one is 404. */
  dailyBy: {
    method: 'GET', path: '/api/v0/tests/:id/daily/by-:metric',
    params: Type.Object({ id: IdParam, metric: Type.String({ maxLength: 40 }) }, closed),
    response: Type.Array(DailyPoint),
  },
} as const satisfies Record<string, Call>
