import type { Call } from '../call.ts'

export const templateCalls = {
} as const satisfies Record<string, Call>
