import type { PageApis } from '../../domain/script/page-apis.ts'
import { beaconLimits } from '../../domain/events/event.ts'
import { stampCart } from '../cart.ts'
import { isRefused } from '../consent.ts'
import { act } from '../core.ts'
import { guarded, on } from '../guard.ts'
import { keep, recall } from '../memory.ts'
import { eventPrefix, type Waiting } from '../beacon.ts'
import { keys, read, write } from '../storage.ts'

/**
 * Our script sees what is put into the cart by requests to the usual address. An addition that it
 * has seen is not recorded again; its event waits in storage for a second. Milliseconds.
 */
const wait = 300,
  near = 2_000

/** Passes on what the platform's own privacy API and cart events say, to our script. */
export const passOn = guarded(({ privacy, cart }: PageApis) => {
  if (privacy) {
    const hear = guarded(() => {
      const signal = window.shopPrivacy
      const analyticsAllowed = called(privacy.allowed)
      if (typeof analyticsAllowed !== 'boolean') {
        // The runtime waits for this answer. Without one, the store's rule decides.
        if (signal) signal.analyticsAllowed ??= undefined
        return
      }
      if (analyticsAllowed === signal?.analyticsAllowed) return
      window.shopPrivacy = { ...window.shopPrivacy, analyticsAllowed }
      dispatchEvent(new Event('shopprivacychange'))
    })
    on(privacy.event, hear)
    hear()
  }
  if (cart)
    on<CustomEvent>(cart.event, ({ detail }) => {
      const product = String(at(detail, cart.product) ?? '')
      const now = Date.now()
      setTimeout(
        guarded(() => record(/^[\w-]{1,64}$/.test(product) ? product : undefined, now)),
        wait,
      )
    })
})

/** What our script's tag for this file says. Only while the file runs for the first time. */
export const toldApis = (): PageApis =>
  JSON.parse(document.currentScript!.dataset['apis']!) as PageApis

/** Stores the event where our script finds it, with the next ones that it sends. */
function record(product: string | undefined, now: number): void {
  const memory = recall()
  if (!memory || isRefused() || isSeen(now)) return
  const event = act(
    memory,
    {
      url: location.href,
      referrer: '',
      now,
      newId: () => Math.random().toString(36).slice(2) + Date.now(),
      facts: {},
    },
    'cart',
    undefined,
    product,
  )
  keep(memory)
  write(eventPrefix + event.id, JSON.stringify({ ...memory.session, event }))
  stampCart()
}

const isSeen = (now: number): boolean =>
  keys(eventPrefix)
    .slice(-beaconLimits.events)
    .some(key => {
      const { event } = JSON.parse(read(key)!) as Waiting
      return event.kind === 'cart' && Math.abs(event.at - now) < near
    })

const at = (from: unknown, path: string): unknown =>
  path.split('.').reduce((found, name) => (found as Record<string, unknown> | null)?.[name], from)

/** Calls the function at this path below `window`, as a method of what holds it. */
function called(path: string): unknown {
  const [, owner, name] = /^(?:(.*)\.)?(.*)$/.exec(path)!
  const object = (owner ? at(window, owner) : window) as Record<string, () => unknown> | undefined
  return object?.[name!]?.()
}
