import type { Call } from '../call.ts'

export const adminCalls = {
} as const satisfies Record<string, Call>
