import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { appConfig } from '../../../server/config.ts'
import { buildApp, type App, type AppOptions } from '../../../server/app.ts'
import { startEngine, type TestEngine } from '../../engine/support/engine.ts'

const origin = 'http://localhost:3000'

/** The real app before a real engine and a small shop, and a signed-in merchant's browser without the browser. */
export type Merchant = {
  engine: TestEngine
  app: App
  /** The engine's API as the same merchant, with a token of this moment however far the clock was moved. */
  call: TestEngine['call']
  get: (path: string) => Promise<LightMyRequestResponse>
  /** A form as a page of the app posts it. */
  post: (
    path: string,
    fields?: Record<string, string>,
    over?: InjectOptions,
  ) => Promise<LightMyRequestResponse>
  /** What the browser holds, as it sends it; and the engine's origin: for another app before the same engine. */
  cookies: () => string
  upstreamOrigin: string
  close: () => Promise<void>
}

export async function startMerchant(
  env: {
    app?: Record<string, string>
    engine?: Record<string, string>
    timeouts?: AppOptions['timeouts']
    usageTiming?: AppOptions['usageTiming']
    log?: AppOptions['log']
  } = {},
): Promise<Merchant> {
  // A launch waits for no browser here; what it does with one has a test of its own.
  const engine = await startEngine({}, { CHROMIUM_PATH: 'off', ...env.engine })
  const upstreamOrigin = await engine.engine.app.listen({ port: 0, host: '127.0.0.1' })
  const config = appConfig({ APP_ORIGIN: origin, DEMO_SHOP_ORIGIN: engine.shop.origin, ...env.app })
  const app = await buildApp({
    config,
    upstreamOrigin,
    clock: () => engine.now.at,
    ...(env.timeouts && { timeouts: env.timeouts }),
    ...(env.usageTiming && { usageTiming: env.usageTiming }),
    ...(env.log && { log: env.log }),
  })
  const { send, cookies, get, post } = browserOf(app)
  await send({ url: `/?id_token=${await engine.shop.idToken()}` })
  return {
    engine,
    app,
    cookies,
    upstreamOrigin,
    call: async (name, input) => {
      const { token } = await engine.call('auth', {
        body: { idToken: await engine.shop.idToken() },
      })
      return engine.call(name, input, token)
    },
    get,
    post,
    close: async () => {
      await app.close()
      await engine.close()
    },
  }
}

/** A browser without the browser: it keeps cookies, and posts forms as pages of the app do. */
export function browserOf({ app }: App) {
  const jar = new Map<string, string>()
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const send = async (options: InjectOptions) => {
    const response = await app.inject({
      ...options,
      headers: { cookie: cookies(), host: 'localhost:3000', ...options.headers },
    })
    for (const { name, value } of response.cookies) jar.set(name, value)
    return response
  }
  const get: Merchant['get'] = path => send({ url: path })
  const post: Merchant['post'] = (path, fields = {}, over = {}) =>
    send({
      url: path,
      method: 'POST',
      payload: new URLSearchParams(fields).toString(),
      ...over,
      headers: { origin, 'content-type': 'application/x-www-form-urlencoded', ...over.headers },
    })
  return { send, cookies, get, post }
}

/** Text of a page as a person reads it: no tags, entities and spaces made plain. */
export const textOf = (html: string): string =>
  html
    .replace(/<(script|style)[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&amp;', '&')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replace(/\s+/g, ' ')
