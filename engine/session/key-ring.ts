import { hkdfSync } from 'node:crypto'
import type { EngineConfig } from '../config.ts'

/** Secrets, the newest first: it signs and seals, all of them verify and open. */
export type KeyRing = readonly [string, ...string[]]

/** What keys are derived for, by what they are derived with: a key of one purpose is good for no other. */
const purposes = {
  sessions: 'twinshelf sessions',
  previews: 'twinshelf previews',
  consents: 'twinshelf consents',
  // Named before there was a ring: what was sealed then is opened by the same key.
  platformTokens: 'twinshelf google tokens',
  backups: 'twinshelf backups',
  // By the oldest secret: a network keeps its name when a new one is put in front.
  networks: 'twinshelf networks',
  // By the oldest, too.
  samples: 'twinshelf samples',
  // In scripts: those that browsers still have name themselves by an older one.
  collecting: 'twinshelf collecting',
  staffDevices: 'twinshelf staff devices',
  secondFactors: 'twinshelf second factors',
  erasedOrders: 'twinshelf erased orders',
} as const
export type KeyPurpose = keyof typeof purposes

/** `SECRETS`, and `SESSION_SECRET` behind them: alone it is the ring. */
export function keyRing({
  SECRETS = '',
  SESSION_SECRET,
}: Pick<EngineConfig, 'SECRETS' | 'SESSION_SECRET'>): KeyRing {
  const [first, ...others] = new Set(
    [...SECRETS.split(/[\s,]+/), SESSION_SECRET ?? ''].filter(Boolean),
  )
  if (first === undefined) throw new Error('Configuration: SECRETS missing.')
  return [first, ...others]
}

const derived = (secret: string, purpose: KeyPurpose): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', purposes[purpose], 32))

/** The key that signs and seals for a purpose first, then those of older secrets. */
export const keysFor = (
  [first, ...others]: KeyRing,
  purpose: KeyPurpose,
): [Uint8Array, ...Uint8Array[]] => [
  derived(first, purpose),
  ...others.map(secret => derived(secret, purpose)),
]

/** The keys that verify for a purpose: also the secrets themselves, with which tokens were signed before keys were derived. */
export const verifyingKeys = (ring: KeyRing, purpose: KeyPurpose): Uint8Array[] => [
  ...keysFor(ring, purpose),
  ...ring.map(secret => new TextEncoder().encode(secret)),
]
