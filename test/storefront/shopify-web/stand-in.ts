import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildDemoShop, type DemoShop } from '../../../demo-shop/app.ts'
import { fullNamespace } from '../../../demo-shop/shopify/app/metafields.ts'
import type { DemoShopOptions } from '../../../demo-shop/options.ts'
import { freePort } from '../../ports.ts'

type Opened = { origin: string; close: () => Promise<void> }

/**
 * Opens a demo shop that answers as a shop of Shopify. There is no engine. Its keys and what is
 * deployed to it can be given.
 */
export async function openStandIn(
  shopify: Partial<DemoShopOptions['shopify']> = {},
  appOrigin = 'http://127.0.0.1:9',
): Promise<Opened & { shop: DemoShop }> {
  const port = await freePort(),
    origin = `http://localhost:${port}`,
    dataDir = mkdtempSync(join(tmpdir(), 'demo-shop-'))
  const shop = await buildDemoShop({
    origin,
    appOrigin,
    engineOrigin: 'http://127.0.0.1:9',
    dataDir,
    appKey: 'other',
    appSecret: 'a-secret-of-this-test-alone',
    hasDemoApp: false,
    shopify: {
      keys: { apiKey: 'key', apiSecret: 'a-secret-of-the-platform' },
      appHandle: 'twinshelf',
      ...shopify,
    },
  })
  await shop.app.listen({ port, host: 'localhost' })
  return {
    shop,
    origin,
    close: async () => {
      await shop.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** A field that the app writes. */
export const ownField = (owner: string, namespace: string, key: string, value: string) => ({
  owner,
  namespace: fullNamespace(namespace),
  key,
  type: 'json',
  value,
})

/** Serves `answer` on this machine. */
export async function serve(answer: RequestListener): Promise<Opened> {
  const server = createServer(answer)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Serves a collector that takes everything. `take` gets each message. */
export const openCollector = (
  take: (path: string, body: string) => void = () => {},
): Promise<Opened> =>
  serve((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      take(request.url!, Buffer.concat(chunks).toString())
      response.writeHead(204, { 'access-control-allow-origin': '*' }).end()
    })
  })
