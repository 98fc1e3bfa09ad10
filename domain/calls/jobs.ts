import type { Call } from '../call.ts'

export const jobCalls = {
} as const satisfies Record<string, Call>
