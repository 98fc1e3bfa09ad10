import type { Call } from '../call.ts'
import { StoreInfo, StoreStatus } from '../store.ts'

export const storeCalls = {
  storeInfo: { method: 'GET', path: '/api/v0/stores/info', response: StoreInfo },
  storeStatus: { method: 'GET', path: '/api/v0/stores/status', response: StoreStatus },
} as const satisfies Record<string, Call>
