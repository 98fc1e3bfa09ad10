import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { keysFor, type KeyPurpose, type KeyRing } from './key-ring.ts'

/** Keeps what must not be read in the database: AES-256-GCM by a key of the ring, bound to whose it is: a store, or a member of staff. */
export type Seal = {
  close: (owner: string, text: string) => Buffer
  /** Null for what a secret outside of the ring has sealed. */
  open: (owner: string, sealed: Uint8Array) => string | null
  /** The same sealed by the newest secret; null where it is so already, or cannot be opened. */
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
