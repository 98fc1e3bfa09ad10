import type { EngineConfig } from '../config.ts'
import { keyRing, keysFor } from './key-ring.ts'

/**
 * The seed of the hash that samples events. Senders choose the ids of events, so without a secret
 * seed they could choose which events are sampled. It comes from the oldest secret, so that a
 * sample stays the same when a new secret is added in front. Returns a number of 64 bits as text.
 */
export function sampleSeed({ config }: { config: EngineConfig }): string {
  return Buffer.from(keysFor(keyRing(config), 'samples').at(-1)!)
    .readBigInt64BE()
    .toString()
}
