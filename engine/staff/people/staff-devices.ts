import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { keysFor, type KeyRing } from '../../session/key-ring.ts'

export type StaffDevices = {
  /** A token that the browser keeps. It shows later that this member has signed in there before. */
  make: (userId: string) => string
  /** The name of a device on which this member has signed in; null for any other. */
  read: (token: string | undefined, userId: string) => string | null
}

/**
 * Device tokens are signed and not stored. They open nothing. They only save a member's own browser
 * from waiting because of other people's guesses.
 */
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
