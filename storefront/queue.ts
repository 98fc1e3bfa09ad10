import { eventAge, type ShopperEvent } from '../domain/events/event.ts'
import type { ScriptConfig } from '../domain/script/script-config.ts'
import { buildBeacons, type Waiting } from './beacon.ts'
import { nativeFetch } from './cart.ts'
import { isAllowed, isRefused } from './consent.ts'
import type { VisitorMemory } from './core.ts'
import { guarded } from './guard.ts'
import { keep } from './memory.ts'
import { keys, read, remove, write } from './storage.ts'

/**
 * Events wait in storage, each under a key of its own, until the collector has acknowledged them. So they outlive the
 * page, a redirect and a collector that is away, and tabs can share them without a lock: whoever sends one removes
 * just that one, and one sent twice changes nothing.
 */
const prefix = '_ts_e.'
/** Most events that wait at a time; the others give way. */
const waitingLimit = 200
/** Beacons under way: what a slow collector has not acknowledged yet is not sent to it again. */
let underWay = 0
let timer: ReturnType<typeof setTimeout> | undefined
let failures = 0

export type Queue = {
  /** Keeps what is known of the visitor with them. */
  store: (memory: VisitorMemory, events: ShopperEvent[]) => void
  /** Hands everything to the browser to send after the page is gone. Nobody acknowledges that: what is still here later is sent once more. */
  sendNow: () => void
}

export function openQueue(config: ScriptConfig, latest: () => VisitorMemory): Queue {
  const schedule = (delay: number): void => {
    clearTimeout(timer)
    timer = setTimeout(guarded(send), delay)
  }
  const each = (post: (body: string, events: ShopperEvent[]) => void): void => {
    // Asked again here: the shop may have learnt of a refusal only after this page had begun.
    if (isRefused()) return
    buildBeacons(config, latest(), waitingEvents(), Date.now(), isAllowed()).forEach(beacon =>
      post(JSON.stringify(beacon), beacon.events),
    )
  }
  // All beacons of a send fail together, and are one failure.
  const send = (tries = failures + 1): void =>
    underWay
      ? schedule(1000)
      : each((body, events) => {
          underWay++
          nativeFetch(config.collect, { method: 'POST', body, keepalive: true })
            .then(({ status }) => {
              // What the collector finds wrong (400, 413) will not become right; what it cannot take now (429, 5xx), it can later.
              if (status > 428) throw status
              events.forEach(({ id }) => remove(prefix + id))
              failures = 0
            })
            // A second, then twice as long each time; after a minute from the beginning.
            .catch(() => schedule(500 << (failures = tries & 7)))
            .then(() => {
              underWay--
            })
        })
  return {
    store(memory, events) {
      keep(memory)
      events.forEach(event =>
        write(prefix + event.id, JSON.stringify({ ...memory.session, event })),
      )
      if (!failures) schedule(1000)
    },
    sendNow: () => each(body => navigator.sendBeacon(config.collect, body)),
  }
}

/** Of this page, earlier ones and other tabs. */
function waitingEvents(): Waiting[] {
  const found: Waiting[] = []
  keys(prefix).forEach(
    guarded((key: string) => {
      const item = JSON.parse(read(key)!) as Waiting
      if (found.length >= waitingLimit || Date.now() - item.event.at > eventAge.behind) remove(key)
      else found.push(item)
    }),
  )
  return found
}
