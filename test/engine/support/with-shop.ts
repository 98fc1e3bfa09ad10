import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SignJWT } from 'jose'
import { buildDemoShop, type DemoShop } from '../../../demo-shop/app.ts'
import type { DemoShopOptions } from '../../../demo-shop/options.ts'
import { buildEngine } from '../../../engine/app.ts'
import type { EngineOptions } from '../../../engine/app-options.ts'
import { engineConfig } from '../../../engine/config.ts'
import { demoPlatform } from '../../../engine/platform/demo/demo.ts'
import { type TestPlatform, withResources } from './shops/all-resources.ts'
import { caller, keptToken, type TestEngine } from './engine.ts'
import { capabilitiesOfRun } from '../../stories/story-needs.ts'
import { holdPort } from '../../ports.ts'
import { freshDb } from './harness.ts'
import { merchantHands, type MerchantHands } from './shops/merchant-hands.ts'
import { turnScriptOn } from './shops/script-on.ts'
import { appKey, appSecret, firstShop, sessionSecret } from './small-shop.ts'

export type WithShop = Omit<TestEngine, 'shop'> & {
  /**
   * The real demo shop, which delivers its webhooks to this engine. Where our script has a switch,
   * it is on.
   */
  shop: DemoShop
  shopOrigin: string
  engineOrigin: string
  /** A platform adapter to the shop for the test, like the engine's. */
  platform: TestPlatform
  /** Changes themes in any shop, for tests that have to prepare them. */
  merchant: MerchantHands
  idToken: (claims?: Record<string, unknown>) => Promise<string>
}

/**
 * Starts an engine with its own database and a real demo shop, both listening, with the merchant
 * signed in.
 */
export async function startWithShop(
  over: Partial<EngineOptions> = {},
  env: Record<string, string> = {},
  shopOptions: Partial<DemoShopOptions> = {},
): Promise<WithShop> {
  const [ofEngine, ofShop] = [await holdPort(), await holdPort()]
  const engineOrigin = `http://localhost:${ofEngine.port}`,
    shopOrigin = `http://localhost:${ofShop.port}`
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-with-shop-'))
  const runtime = join(folder, 'storefront.js')
  writeFileSync(runtime, '(()=>{const config=__TWINSHELF_CONFIG__;globalThis.ran=config})()')
  const now = { at: new Date() }
  const clock = () => now.at
  const shop = await buildDemoShop({
    origin: shopOrigin,
    appOrigin: engineOrigin,
    engineOrigin,
    dataDir: folder,
    appKey,
    appSecret,
    clock,
    capabilities: capabilitiesOfRun(),
    ...shopOptions,
  })
  await ofShop.release()
  await shop.app.listen({ port: ofShop.port, host: '127.0.0.1' })
  const db = over.db ?? (await freshDb())
  const config = engineConfig({
    DATA_DIR: folder,
    ENGINE_PORT: '0',
    PUBLIC_ORIGIN: engineOrigin,
    DEMO_SHOP_ORIGIN: shopOrigin,
    SESSION_SECRET: sessionSecret,
    DEMO_APP_KEY: appKey,
    DEMO_APP_SECRET: appSecret,
    ...(process.env['CHROMIUM_PATH'] && { CHROMIUM_PATH: process.env['CHROMIUM_PATH'] }),
    ...env,
  })
  const engine = await buildEngine({
    config,
    clock,
    publishEvery: 50,
    byItself: false,
    runtimeFile: pathToFileURL(runtime),
    quotas: { requests: 10_000_000 },
    ...over,
    db,
  })
  await ofEngine.release()
  await engine.app.listen({ port: ofEngine.port, host: '127.0.0.1' })
  const signIn = async (): Promise<string> =>
    (await call('auth', { body: { idToken: await idTokenOf() } })).token
  const ownToken = keptToken(signIn, now),
    call = caller(engine, ownToken)
  const token = await ownToken()
  turnScriptOn(shop)
  // A test that sends the shop's webhooks elsewhere would wait here forever.
  if (!shopOptions.engineOrigin) await shop.delivered()
  const adapter = demoPlatform({ appKey, appSecret, shopOrigin, clock })
  return {
    engine,
    shop,
    platform: withResources(adapter),
    merchant: merchantHands(shop),
    shopOrigin,
    engineOrigin,
    db,
    now,
    call,
    token,
    ownToken,
    idToken: idTokenOf,
    close: async () => {
      await adapter.close()
      await shop.close()
      await engine.close()
      if (!over.db) await db.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A shop that lets apps change prices, whatever else it can do: for tests of price tests. */
export const withTestPrices: Pick<DemoShopOptions, 'capabilities'> = {
  capabilities: { ...capabilitiesOfRun(), priceWay: 'transform' },
}

/**
 * A shop that lets apps change everything, for tests of changes and of how they are undone. They
 * read more pages in a minute than the poorest shops allow.
 */
export const withAllChanges: Pick<DemoShopOptions, 'capabilities'> = {
  capabilities: {
    ...capabilitiesOfRun(),
    themeWrites: true,
    copies: 'ours',
    redirects: 'always',
    priceWay: 'transform',
    unsignedReads: null,
  },
}

/** The one-minute token of a merchant, as the shop's admin creates it. */
export function idTokenOf(claims: Record<string, unknown> = {}): Promise<string> {
  const seconds = Math.floor(Date.now() / 1000),
    issuer = `https://${firstShop}`
  return new SignJWT({
    iss: issuer,
    dest: issuer,
    aud: appKey,
    sub: '7',
    exp: seconds + 60,
    nbf: seconds,
    iat: seconds,
    jti: randomUUID(),
    sid: randomUUID(),
    ...claims,
  })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(appSecret))
}
