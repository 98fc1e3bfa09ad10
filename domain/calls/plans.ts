import * as Type from 'typebox'
import type { Call } from '../call.ts'
import { Plan } from '../plan.ts'

export const planCalls = {
  plans: { method: 'GET', path: '/api/v0/plans', response: Type.Array(Plan) },
} as const satisfies Record<string, Call>
