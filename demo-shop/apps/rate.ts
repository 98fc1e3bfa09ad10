import type { FastifyInstance } from 'fastify'

/** How many calls of the app's API the shop answers in a second; null means any number. */
export type ShopRate = { perSecond: number; burst: number } | null
export type RateSetting = { current: ShopRate; refused: number }

/** Refuses calls of the app's API (429) that come faster than `setting` allows. */
export function limitRate(app: FastifyInstance, setting: RateSetting): void {
  let paidUntil = 0
  app.addHook('onRequest', async ({ url }, reply) => {
    const rate = setting.current
    // The API with a version in its address has a limit of its own (shopify/api/bucket.ts).
    if (!rate || !/^\/admin\/api\/(?!20\d\d-|unstable)/.test(url)) return
    const now = performance.now(),
      each = 1_000 / rate.perSecond
    const wait = paidUntil - now - (rate.burst - 1) * each
    if (wait > 0) {
      setting.refused++
      return reply
        .code(429)
        .header('retry-after', (wait / 1000).toFixed(3))
        .send({ message: 'Too many calls.' })
    }
    paidUntil = Math.max(paidUntil, now) + each
  })
}
