import { isbot } from 'isbot'
import { UAParser } from 'ua-parser-js'
import { type Device, devices, type DeviceIndex } from '../../domain/device.ts'

export type Agent = { device: DeviceIndex; isBot: boolean }

/** The library's kinds that are not used like a desktop; it says nothing of one. */
const kinds: Record<string, Device> = { mobile: 'phone', wearable: 'phone', tablet: 'tablet' }
const deviceIn = (userAgent: string): DeviceIndex =>
  devices.indexOf(kinds[new UAParser(userAgent).getDevice().type ?? ''] ?? 'desktop') as DeviceIndex

// Shoppers share few user agents, and the two libraries' long patterns cost more than the rest of a beacon.
const known = new Map<string, Agent>()
const knownLimit = 5_000
/** Characters of the header that are looked at, as many as the library for devices reads. */
const longest = 500

/** Device and bot flag of a User-Agent header. A browser always sends one, so none means a bot. */
export function agentOf(header: string | undefined): Agent {
  // What is remembered must not grow with what a client makes up.
  const userAgent = header?.slice(0, longest)
  if (!userAgent) return { device: 0, isBot: true }
  let agent = known.get(userAgent)
  if (!agent) {
    if (known.size >= knownLimit) known.clear()
    known.set(userAgent, (agent = { device: deviceIn(userAgent), isBot: isbot(userAgent) }))
  }
  return agent
}

/** The visitor's country as the edge's header says it: two letters, or null where it does not know. */
export function countryOf(header: string | string[] | undefined): string | null {
  const code = String(header ?? '').toUpperCase()
  // Edges write XX for an address they cannot place.
  return /^[A-Z]{2}$/.test(code) && code !== 'XX' ? code : null
}
