import type { Call } from '../call.ts'

export const analyticsCalls = {
} as const satisfies Record<string, Call>
