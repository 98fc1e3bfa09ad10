import type { Call } from '../call.ts'

export const exportCalls = {
} as const satisfies Record<string, Call>
