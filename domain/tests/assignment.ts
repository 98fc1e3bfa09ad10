import type { ArmIndex, PerArm } from '../arm.ts'

/**
 * FNV-1a, 32 bits, over UTF-16 code units. For ids, which are ASCII, these are bytes. Source:
 * Fowler, Noll, Vo.
 */
export function fnv1a32(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/**
 * The place of a visitor in a test, in [0, 1) with four decimals: the two-pass "v2" hash of the
 * open feature-flag SDKs.
 */
export const bucket = (testId: string, visitorId: string): number =>
  (fnv1a32(`${fnv1a32(testId + visitorId)}`) % 10000) / 10000

/**
 * The arm of a visitor. The script, the engine and the simulated shoppers all use this function.
 */
export const assign = (testId: string, visitorId: string, weights: PerArm<number>): ArmIndex =>
  bucket(testId, visitorId) < weights[0] ? 0 : 1
