import type { Call } from '../call.ts'

export const assistCalls = {
} as const satisfies Record<string, Call>
