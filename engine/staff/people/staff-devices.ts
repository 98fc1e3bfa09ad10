import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { keysFor, type KeyRing } from '../../session/key-ring.ts'

export type StaffDevices = {
  /** What a browser keeps, by which it is known again as one where this member has signed in. */
  make: (userId: string) => string
  /** The name of a device that this member has signed in on; null for any other. */
  read: (token: string | undefined, userId: string) => string | null
}

/** Signed and not stored: it opens nothing, and only keeps a member's own browser from waiting for others' guesses. */
export function staffDevices(ring: KeyRing): StaffDevices {
  const keys = keysFor(ring, 'staffDevices')
  const signed = (key: Uint8Array, device: string, userId: string): Buffer =>
    createHmac('sha256', key).update(`${device} ${userId}`).digest()
  return {
    make: userId => {
      const device = randomBytes(12).toString('base64url')
      return `${device}.${signed(keys[0], device, userId).toString('base64url')}`
    },
    read: (token, userId) => {
      const [device = '', signature = ''] = (token ?? '').split('.')
      const given = Buffer.from(signature, 'base64url')
      return keys.some(key => {
        const right = signed(key, device, userId)
        return given.length === right.length && timingSafeEqual(given, right)
      })
        ? device
        : null
    },
  }
}
