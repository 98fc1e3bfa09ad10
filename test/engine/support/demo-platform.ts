import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import type { Test } from 'tap'
import { buildDemoShop, type DemoShop } from '../../../demo-shop/app.ts'
import type { Platform } from '../../../engine/platform/adapter.ts'
import { demoPlatform } from '../../../engine/platform/demo/demo.ts'
import { appKey, appSecret, firstShop } from './small-shop.ts'

/** The domain of the demo shop. */
export const shop = firstShop
export type Stage = {
  platform: Platform
  demo: DemoShop
  origin: string
  /** Webhook deliveries since the last call: topic and body. */
  told: () => Promise<[topic: string, body: Record<string, unknown>][]>
  /** The HTML of a page of the shop, as a shopper gets it. */
  page: (path: string) => Promise<string>
}

/**
 * A real demo shop, its platform adapter, and an app that accepts every webhook, without an engine.
 */
export async function stage(t: Test): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'demo-platform-'))
  let told: [string, Record<string, unknown>][] = []
  const app = Fastify()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
  app.post('/webhooks/demo/:topic', async (request, reply) => {
    const delivery = platform.verifyWebhook(request.headers, request.body as Buffer)
    if (delivery?.shop !== firstShop) return reply.code(401).send()
    told.push([delivery.topic, JSON.parse(String(request.body)) as Record<string, unknown>])
    return {}
  })
  const engineOrigin = await app.listen({ port: 0, host: '127.0.0.1' })
  const demo = await buildDemoShop({
    origin: 'http://shop.localhost',
    appOrigin: 'http://app.localhost',
    engineOrigin,
    dataDir: folder,
    appKey,
    appSecret,
  })
  const origin = await demo.app.listen({ port: 0, host: '127.0.0.1' })
  const platform = demoPlatform({ appKey, appSecret, shopOrigin: origin })
  t.teardown(async () => {
    await platform.close()
    await demo.close()
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    platform,
    demo,
    origin,
    told: async () => {
      await demo.delivered()
      const taken = told
      told = []
      return taken
    },
    page: async path => (await demo.app.inject(path)).body,
  }
}
