import type { EngineConfig } from '../config.ts'
import { keyRing, keysFor } from './key-ring.ts'

/**
 * Seeds the hash by which events are sampled: the senders choose the ids of events, and would choose those that come
 * first. By the oldest secret, so that a sample stays the same when a new one is put in front. A number of 64 bits.
 */
export function sampleSeed({ config }: { config: EngineConfig }): string {
  return Buffer.from(keysFor(keyRing(config), 'samples').at(-1)!)
    .readBigInt64BE()
    .toString()
}
