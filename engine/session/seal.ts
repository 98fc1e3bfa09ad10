import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { keysFor, type KeyPurpose, type KeyRing } from './key-ring.ts'

/**
 * Encrypts values that must not be readable in the database: AES-256-GCM with a key of the ring,
 * bound to the id of the owner (a store or a member of staff).
 */
export type Seal = {
  close: (owner: string, text: string) => Buffer
  /** Returns null when the value was sealed with a secret outside the ring. */
  open: (owner: string, sealed: Uint8Array) => string | null
  /**
   * Seals the value again with the newest secret. Returns null when it already is, or cannot be
   * opened.
   */
  renew: (owner: string, sealed: Uint8Array) => Buffer | null
}

const ivBytes = 12,
  tagBytes = 16

export function sealOf(ring: KeyRing, purpose: KeyPurpose = 'platformTokens'): Seal {
  const [newest, ...older] = keysFor(ring, purpose)
  const close = (owner: string, text: string): Buffer => {
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv('aes-256-gcm', newest, iv).setAAD(Buffer.from(owner))
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), body])
  }
  const openBy = (keys: Uint8Array[], owner: string, sealed: Uint8Array): string | null => {
    const bytes = Buffer.from(sealed)
    for (const key of keys) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes))
          .setAAD(Buffer.from(owner))
          .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
        return Buffer.concat([
          decipher.update(bytes.subarray(ivBytes + tagBytes)),
          decipher.final(),
        ]).toString('utf8')
      } catch {
        /* sealed by another key of the ring, or not by us */
      }
    }
    return null
  }
  return {
    close,
    open: (owner, sealed) => openBy([newest, ...older], owner, sealed),
    renew: (owner, sealed) => {
      if (openBy([newest], owner, sealed) !== null) return null
      const text = openBy(older, owner, sealed)
      return text === null ? null : close(owner, text)
    },
  }
}
