import { ShopBusy } from '../../domain/problem.ts'

/**
 * What a platform lets us ask about one shop: calls, or points if calls cost differently.
 * `burst`: how many points may be used at once after a pause.
 */
export type PlatformRate = {
  perSecond: number
  burst: number
  /** The points of one call of the adapter; 1 when left out. */
  cost?: (call: string, args: readonly unknown[]) => number
}

/** The platform refused a call, because there were too many; it did nothing. */
export class Throttled extends ShopBusy {}
