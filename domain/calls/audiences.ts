import type { Call } from '../call.ts'

export const audienceCalls = {
} as const satisfies Record<string, Call>
