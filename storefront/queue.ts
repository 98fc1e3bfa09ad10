import { eventAge } from '../domain/event.ts'
import type { ScriptConfig } from '../domain/script-config.ts'
import { buildBeacons, type Waiting } from './beacon.ts'
import { nativeFetch } from './cart.ts'
import { isRefused } from './consent.ts'
import type { VisitorMemory } from './core.ts'
import { guarded } from './guard.ts'
import { keys, read, remove, write } from './storage.ts'

/**
 * Events wait in storage, each under a key of its own, until the collector has acknowledged them. So they outlive the
 * page, a redirect and a collector that is away, and tabs can share them without a lock: whoever sends one removes
 * just that one, and one sent twice changes nothing.
 */
const prefix = '_ts_e.'
/** Most events that wait at a time; the others give way. */
const waitingLimit = 200
const inFlight = new Set<string>()
let timer: ReturnType<typeof setTimeout> | undefined
let failures = 0

export type Queue = {
  add: (item: Waiting) => void
  /** Hands everything to the browser to send after the page is gone. */
  sendNow: () => void
  /** The page is in sight again: what was handed over unacknowledged is sent once more. */
  resume: () => void
}

export function openQueue(config: ScriptConfig, latest: () => VisitorMemory): Queue {
  const schedule = (delay: number): void => {
    clearTimeout(timer)
    timer = setTimeout(guarded(send), delay)
  }
  /** `post` tells whether it took a beacon; its events are then on their way. */
  const each = (post: (body: string, ids: string[]) => boolean): void => {
    // Asked again here: the shop may have learnt of a refusal only after this page had begun.
    if (isRefused()) return
    for (const beacon of buildBeacons(config, latest(), waitingEvents(), Date.now())) {
      const ids = beacon.events.map(event => event.id)
      if (post(JSON.stringify(beacon), ids)) ids.forEach(id => inFlight.add(id))
    }
  }
  const send = (): void => each((body, ids) => {
    nativeFetch(config.collect, { method: 'POST', body, keepalive: true }).then(({ status }) => {
      // What the collector finds wrong (400, 413) will not become right; what it cannot take now (429, 5xx), it can later.
      if (status > 428) throw status
      ids.forEach(drop)
      failures = 0
    }).catch(() => {
      ids.forEach(id => inFlight.delete(id))
      schedule(Math.min(60_000, 1000 * 2 ** failures++))
    })
    return true
  })
  return {
    add(item) {
      write(prefix + item.event.id, JSON.stringify(item))
      if (!failures) schedule(1000)
    },
    sendNow: () => each(body => navigator.sendBeacon(config.collect, body)),
    resume() {
      inFlight.clear()
      schedule(1000)
    },
  }
}

export const stopQueue = (): void => clearTimeout(timer)

/** Of this page, earlier ones and other tabs. */
function waitingEvents(): Waiting[] {
  const found: Waiting[] = []
  for (const key of keys()) {
    if (key.startsWith(prefix)) guarded(() => {
      const item = JSON.parse(read(key)!) as Waiting
      if (found.length >= waitingLimit || Date.now() - item.event.at > eventAge.behind) remove(key)
      else if (!inFlight.has(item.event.id)) found.push(item)
    })()
  }
  return found
}

const drop = (id: string): boolean => remove(prefix + id)
