import type { FastifyBaseLogger } from 'fastify'
import { hour } from '../../domain/time-units.ts'

/** How often to check whether a renewal is due. Milliseconds. */
const renewEvery = hour

/**
 * Does what is due, now and every hour. Subscriptions continue while the shop is down: renewals
 * that were due meanwhile are made now. Returns how to stop.
 */
export function keepRenewing(
  due: () => void | Promise<void>,
  log?: FastifyBaseLogger,
): () => Promise<void> {
  const renew = async (): Promise<void> => {
    try {
      await due()
    } catch (error) {
      log?.error({ err: error }, 'carts not cleared, or renewals not made')
    }
  }
  let last = renew()
  const timer = setInterval(() => void (last = renew()), renewEvery)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await last
  }
}
