import { hkdfSync } from 'node:crypto'
import type { EngineConfig } from '../config.ts'

/** The secrets, newest first. The newest signs and seals; all of them verify and open. */
export type KeyRing = readonly [string, ...string[]]

/**
 * Purposes of derived keys, each with the text it is derived with. A key of one purpose does not
 * work for another.
 */
const purposes = {
  sessions: 'twinshelf sessions',
  previews: 'twinshelf previews',
  consents: 'twinshelf consents',
  // This text is older than the ring. It stays the same, so that what was sealed before still
  // opens.
  platformTokens: 'twinshelf google tokens',
  backups: 'twinshelf backups',
  // Derived from the oldest secret, so that the hash of a network stays the same when a new secret
  // is added in front.
  networks: 'twinshelf networks',
  // Derived from the oldest secret, too.
  samples: 'twinshelf samples',
  // Signs tokens in scripts. Browsers may still have a script with a token of an older secret.
  collecting: 'twinshelf collecting',
  staffDevices: 'twinshelf staff devices',
  secondFactors: 'twinshelf second factors',
  erasedOrders: 'twinshelf erased orders',
  // Derived from a download link itself, not from the ring.
  downloads: 'twinshelf downloads',
  // Hides addresses in the counts that processes share.
  limits: 'twinshelf limits',
} as const
export type KeyPurpose = keyof typeof purposes

/** Makes the ring from `SECRETS`, followed by `SESSION_SECRET`. Throws when both are missing. */
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

/**
 * The keys of a purpose. The first one signs and seals; the others are derived from older secrets.
 */
export const keysFor = (
  [first, ...others]: KeyRing,
  purpose: KeyPurpose,
): [Uint8Array, ...Uint8Array[]] => [
  derived(first, purpose),
  ...others.map(secret => derived(secret, purpose)),
]

/**
 * The keys that verify for a purpose. They include the secrets themselves, which signed tokens
 * before keys were derived.
 */
export const verifyingKeys = (ring: KeyRing, purpose: KeyPurpose): Uint8Array[] => [
  ...keysFor(ring, purpose),
  ...ring.map(secret => new TextEncoder().encode(secret)),
]
