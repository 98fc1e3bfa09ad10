import { createHmac, createSecretKey } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { isPublicAddress } from '../../http/public-hosts.ts'

/**
 * The network of a client's address: its /24, or for IPv6 its /48, which usually belongs to one
 * customer of a provider. Null for an address that says nothing about the visitor: one of this
 * machine or of a private network, such as a proxy's.
 */
export function networkOf(address: string): string | null {
  const plain = address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')
  if (isIPv4(plain)) return isPublicAddress(plain) ? plain.split('.').slice(0, 3).join('.') : null
  const [, high, low] = /^2002:([\da-f]{1,4}):([\da-f]{1,4}):/i.exec(plain) ?? []
  // A 6to4 address contains the IPv4 address of its owner, so use the network of that.
  if (high && low)
    return networkOf(
      [high, low].flatMap(group => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255]).join('.'),
    )
  if (!isPublicAddress(plain)) return null
  const left = plain.split('%')[0]!.split('::')[0]!
  // The groups before `::`, then the zeros that `::` stands for.
  const groups = [...(left === '' ? [] : left.split(':')), '0', '0', '0']
  return groups
    .slice(0, 3)
    .map(group => parseInt(group, 16).toString(16))
    .join(':')
}

export type NetworkHash = (storeId: string, address: string) => string | null

/**
 * Returns a function that names a store's networks by a keyed hash. Without the secret nobody can
 * read an address from the database, and a network has another name in each store.
 */
export function networkHash(secret: string | Uint8Array): NetworkHash {
  // Made once: a hash whose key is given as bytes takes six times as long.
  const signing = createSecretKey(Buffer.from(secret))
  const known = new Map<string, string | null>()
  return (storeId, address) => {
    const network = networkOf(address)
    if (network === null) return null
    const key = `${storeId} ${network}`
    let hash = known.get(key)
    if (hash === undefined) {
      if (known.size >= knownLimit) known.clear()
      known.set(
        key,
        (hash = createHmac('sha256', signing)
          .update(`network ${key}`)
          .digest('base64url')
          .slice(0, 22)),
      )
    }
    return hash
  }
}
const knownLimit = 20_000
