import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { buildDemoShop, type DemoShop } from '../../../demo-shop/app.ts'
import type { DemoShopOptions } from '../../../demo-shop/options.ts'

export const appSecret = 'a-secret-of-this-test-alone'
export const appKey = 'app-key'
export const shopOrigin = 'http://shop.localhost:4000'
export const appOrigin = 'http://app.localhost:4001'
export const bearer = { authorization: `Bearer ${appSecret}` }
/** Nothing listens on this port, so webhooks wait. For tests that do not check webhooks. */
const nobody = 'http://127.0.0.1:9'

export type TestShop = DemoShop & { dataDir: string }

/** Opens a demo shop on its own data folder. */
export async function openShop(t: Test, options: Partial<DemoShopOptions> = {}): Promise<TestShop> {
  const dataDir = options.dataDir ?? temporaryFolder(t)
  const shop = await buildDemoShop({
    origin: shopOrigin,
    appOrigin,
    engineOrigin: nobody,
    dataDir,
    appKey,
    appSecret,
    knownToken: appSecret,
    ...options,
  })
  let closed: Promise<void> | undefined
  const close = () => (closed ??= shop.close())
  t.teardown(close)
  return { ...shop, close, dataDir }
}

export function temporaryFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'demo-shop-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * A shopper without a browser: keeps the cookies that the shop sets and sends forms as a browser
 * does.
 */
export function shopperOf({ app }: Pick<DemoShop, 'app'>) {
  const cookies = new Map<string, string>()
  const send = async (
    method: 'GET' | 'POST',
    url: string,
    payload?: string | object,
    headers: Record<string, string> = {},
  ) => {
    const response = await app.inject({
      method,
      url,
      headers: {
        accept: 'text/html',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...headers,
      },
      ...(payload !== undefined && { payload }),
    })
    for (const { name, value } of response.cookies) {
      if (value) cookies.set(name, value)
      else cookies.delete(name)
    }
    return response
  }
  return {
    cookies,
    get: (url: string) => send('GET', url),
    json: (url: string, body: object, headers: Record<string, string> = {}) =>
      send('POST', url, body, { accept: 'application/json', ...headers }),
    form: (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      send('POST', url, new URLSearchParams(fields).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      }),
  }
}

export const address = {
  email: 'ada@example.com',
  name: 'Ada Lind',
  address: '1 Kiln Lane',
  city: 'Portland',
  postcode: '97201',
  country: 'United States',
}
