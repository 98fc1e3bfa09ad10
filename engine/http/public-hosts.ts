import { lookup, type LookupAddress } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'

/**
 * Networks that a merchant's URL must never reach from our machines: this host, private, link-local
 * (cloud metadata), shared, reserved.
 */
const closed = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  closed.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of [
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2002::', 16],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  closed.addSubnet(network, bits, 'ipv6')

/**
 * Whether an address is on the public internet. An IPv4 address written as IPv6 (::ffff:…) is
 * checked as IPv4.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && !closed.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** Resolves a name to all its addresses, as the system does. */
export type Resolve = (
  hostname: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Whether a name has addresses and all of them are public. */
export const arePublic = (addresses: readonly LookupAddress[]): boolean =>
  addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address))

/** A lookup that resolves like the system, and fails when any address is not public. */
export const publicLookup =
  (resolve: Resolve = lookup): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 4)
      if (!arePublic(addresses))
        return callback(
          Object.assign(new Error(`${hostname} is not on the public internet`), {
            code: 'ENOTPUBLIC',
          }),
          '',
          4,
        )
      if (options.all) return callback(null, addresses)
      const [first] = addresses
      callback(null, first!.address, first!.family)
    })
  }

/**
 * A connection pool that checks the name again at every connection, so that it cannot change its
 * address after a check.
 * A literal IP address is never looked up, so it is checked here.
 */
export const publicAgent = (resolve?: Resolve): Agent => {
  const connect = buildConnector({ lookup: publicLookup(resolve), timeout: 3_000 })
  return new Agent({
    connect: (options, callback) => {
      const host = options.hostname.replace(/^\[|\]$/g, '')
      if (isIP(host) === 0 || isPublicAddress(host)) return connect(options, callback)
      callback(
        Object.assign(new Error(`${host} is not on the public internet`), { code: 'ENOTPUBLIC' }),
        null,
      )
    },
  })
}
