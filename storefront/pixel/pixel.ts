import type { ArmIndex } from '../../domain/arm.ts'
import { pixelLimits, type PixelMessage } from '../../domain/orders/pixel.ts'
import { visitorLife, type VisitorMemory } from '../core.ts'
import type { CheckoutCompleted, Sandbox } from './sandbox.ts'

/** Given by the sandbox in which the platform runs this file. */
declare const register: (start: (sandbox: Sandbox) => void) => void

const key = '_ts'
/** How long to wait before each further try, in milliseconds. */
const waits = [2_000, 10_000]

/**
 * Our checkout pixel: says which of our visitors an order belongs to, where the order lost the
 * cart's attribute on its way. The platform runs it when an order is complete and only with the
 * buyer's consent. A visitor who refused our counting has nothing stored that it could read.
 */
register(({ settings: { shop, collect }, analytics, browser }) => {
  const recall = async (): Promise<VisitorMemory | undefined> =>
    parse(await browser.localStorage.getItem(key)) ?? parse(await browser.cookie.get(key))
  const send = async (body: string, tries = 0): Promise<void> => {
    const status = await fetch(collect, { method: 'POST', body, keepalive: true }).then(
      answer => answer.status,
      () => 503,
    )
    const wait = waits[tries]
    // A message that is refused (4xx) stays wrong; one that cannot be taken now is sent again.
    if (status > 428 && wait !== undefined) setTimeout(() => void send(body, tries + 1), wait)
  }
  analytics.subscribe('checkout_completed', async ({ data }: CheckoutCompleted) => {
    const order = data.checkout.order?.id
    const memory = await recall()
    if (order == null || !memory || Date.now() - memory.born > visitorLife) return
    const message: PixelMessage = {
      v: 1,
      shop,
      visitor: memory.visitor,
      // Some platforms put the kind of thing before its number.
      order: String(order).replace(/^.*\//, ''),
      consent: true,
      tests: Object.fromEntries(
        Object.entries(memory.tests)
          .slice(-pixelLimits.tests)
          .map(([id, [arm]]) => [id, arm as ArmIndex]),
      ),
    }
    await send(JSON.stringify(message))
  })
})

/** The memory that our script has stored on the shop's pages (storefront/memory.ts). */
function parse(text: string | null | undefined): VisitorMemory | undefined {
  for (const read of [(written: string) => written, decodeURIComponent])
    try {
      const found = JSON.parse(read(text ?? '')) as VisitorMemory | null
      if (found?.visitor && found.tests) return found
    } catch {
      // Written in the other way, by other code, or not there.
    }
  return undefined
}
