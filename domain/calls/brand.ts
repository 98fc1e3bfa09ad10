import type { Call } from '../call.ts'

export const brandCalls = {
} as const satisfies Record<string, Call>
