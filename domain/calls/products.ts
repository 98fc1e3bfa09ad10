import type { Call } from '../call.ts'

export const productCalls = {
} as const satisfies Record<string, Call>
