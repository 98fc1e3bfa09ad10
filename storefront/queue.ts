import { eventAge, type ShopperEvent } from '../domain/events/event.ts'
import type { ScriptConfig } from '../domain/script/script-config.ts'
import { buildBeacons, eventPrefix, type Waiting } from './beacon.ts'
import { nativeFetch } from './cart.ts'
import { isAllowed, isRefused, isUndecided } from './consent.ts'
import type { VisitorMemory } from './core.ts'
import { guarded } from './guard.ts'
import { keep } from './memory.ts'
import { keys, read, remove, write } from './storage.ts'

/**
 * Events wait in storage, each under its own key, until the collector has acknowledged them. So
 * they survive the page, a redirect and a collector that is down, and tabs can share them without a
 * lock: a tab that has sent an event removes only that event, and an event that is sent twice
 * changes nothing.
 */
const prefix = eventPrefix
/** How many events wait at most; the rest are dropped. */
const waitingLimit = 200
/**
 * How many beacons are on their way. While a slow collector has not acknowledged them, nothing is
 * sent to it again.
 */
let underWay = 0
let timer: ReturnType<typeof setTimeout> | undefined
let failures = 0

export type Queue = {
  /** Stores the events, and what is known about the visitor. */
  store: (memory: VisitorMemory, events: ShopperEvent[]) => void
  /**
   * Hands everything to the browser, which sends it even after the page is gone. No answer
   * acknowledges that, so events that are still stored later are sent once more.
   */
  sendNow: () => void
}

export function openQueue(config: ScriptConfig, latest: () => VisitorMemory): Queue {
  const schedule = (delay: number): void => {
    clearTimeout(timer)
    timer = setTimeout(guarded(send), delay)
  }
  const each = (post: (body: string, events: ShopperEvent[]) => void): void => {
    // Checked again here: the shop may have learnt of a refusal only after this page started.
    if (isRefused()) return
    if (isUndecided()) schedule(1000)
    else
      buildBeacons(config, latest(), waitingEvents(), Date.now(), isAllowed()).forEach(beacon =>
        post(JSON.stringify(beacon), beacon.events),
      )
  }
  // All beacons of one send fail together and count as one failure.
  const send = (tries = failures + 1): void =>
    underWay
      ? schedule(1000)
      : each((body, events) => {
          underWay++
          nativeFetch(config.collect, { method: 'POST', body, keepalive: true })
            .then(({ status }) => {
              // An event that the collector rejects (400, 413) will never become right, so it is
              // removed. An event that the collector cannot take now (429, 5xx) is sent again
              // later.
              if (status > 428) throw status
              events.forEach(({ id }) => remove(prefix + id))
              failures = 0
            })
            // Wait a second, then twice as long each time; after a minute, start again with short
            // waits.
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

/**
 * The waiting events of this page, of earlier pages and of other tabs. Removes those that are too
 * old or too many.
 */
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
