import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { buildDemoShop, type DemoShop } from '../../../../demo-shop/app.ts'
import type { ShopifyFace, ShopifyFaceOptions } from '../../../../demo-shop/shopify/face.ts'
import { HttpProblem } from '../../../../domain/problem.ts'
import type { PlatformAdapter } from '../../../../engine/platform/adapter.ts'
import { GrantRefused, SignInNeeded, type TokenSource } from '../../../../engine/platform/tokens.ts'
import { holdPort } from '../../../ports.ts'
import { demoPlatform } from '../../../../engine/platform/demo/demo.ts'
import type { ShopifyConfig } from '../../../../engine/platform/shopify/shopify-config.ts'
import { shopifyPlatform } from '../../../../engine/platform/shopify/shopify.ts'
import { appKey, appSecret } from '../small-shop.ts'

/** The shop that the stand-in answers for. */
export const shopifyShop = 'fern-and-kiln.myshopify.com'
export const apiKey = 'twinshelf-test'
export const apiSecret = 'a-secret-of-tests-for-shopify'

type Config = Partial<ShopifyConfig> & { maxTries?: number }
export type ShopifyStage = {
  platform: PlatformAdapter
  /** Another adapter to the same shop, which ends with the test, too. */
  adapter: (over?: Config) => PlatformAdapter
  demo: DemoShop
  face: ShopifyFace
  /** The adapter to the same shop as the demo platform sees it. */
  asDemo: PlatformAdapter
  origin: string
  /** Versions of the API that answers came in, other than ours. */
  drifts: string[]
}

/** A demo shop with its second face, and the adapter that talks to it over HTTP. */
export async function shopifyStage(
  t: Test,
  {
    settings,
    hasLargestProduct = false,
    ...config
  }: Config & { settings?: ShopifyFaceOptions['settings']; hasLargestProduct?: boolean } = {},
): Promise<ShopifyStage> {
  const folder = mkdtempSync(join(tmpdir(), 'shopify-'))
  const held = await holdPort(),
    origin = `http://localhost:${held.port}`
  const demo = await buildDemoShop({
    origin,
    appOrigin: 'http://app.localhost',
    engineOrigin: 'http://localhost:1',
    dataDir: folder,
    appKey,
    appSecret,
    hasLargestProduct,
    shopify: { keys: { apiKey, apiSecret }, appHandle: 'twinshelf', settings },
  })
  await held.release()
  await demo.app.listen({ port: held.port, host: '127.0.0.1' })
  const face = demo.shopify!
  const drifts: string[] = []
  const open: PlatformAdapter[] = []
  const adapter = (over: Config = {}): PlatformAdapter => {
    const one = shopifyPlatform({
      apiKey,
      secrets: [apiSecret],
      standIn: origin,
      appHandle: 'twinshelf',
      writesThemes: settings?.themeWrites ?? false,
      readsRollouts: false,
      ...config,
      ...over,
      tokens: tokensBySignIn(() => one, face),
      onDrift: version => drifts.push(version),
    })
    open.push(one)
    return one
  }
  const asDemo = demoPlatform({ appKey, appSecret, shopOrigin: origin })
  open.push(asDemo)
  t.teardown(async () => {
    await Promise.all(open.map(one => one.close()))
    await demo.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { platform: adapter(), adapter, demo, face, asDemo, origin, drifts }
}

/** Tokens that are got by a merchant's sign-in, and again when the shop refuses one. */
function tokensBySignIn(platform: () => PlatformAdapter, face: ShopifyFace): TokenSource {
  let held: string | null = null
  return async (shop, refused = []) => {
    if (held !== null && !refused.includes(held)) return held
    const issued = await platform()
      .exchange(shop, await face.idToken())
      .catch((error: unknown) => {
        throw error instanceof GrantRefused ? new SignInNeeded(error.isUninstalled) : error
      })
    held = issued.accessToken
    return held
  }
}

/** The status and words with which a call is refused; null when it succeeds. */
export const refusalOf = (work: Promise<unknown>): Promise<HttpProblem | null> =>
  work.then(
    () => null,
    (error: unknown) => {
      if (error instanceof HttpProblem) return error
      throw error
    },
  )
export const statusOf = async (work: Promise<unknown>): Promise<number | null> =>
  (await refusalOf(work))?.status ?? null
