import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { appConfig } from '../../../server/config.ts'
import { buildApp, type App, type AppOptions } from '../../../server/app.ts'
import { day } from '../../../domain/time-units.ts'
import { startEngine, type TestEngine } from '../../engine/support/engine.ts'

const origin = 'http://localhost:3000'

/**
 * The real app with a real engine and a small shop. Requests are sent as a signed-in merchant's
 * browser would.
 */
export type Merchant = {
  engine: TestEngine
  app: App
  /**
   * Calls the engine's API as the same merchant, with a token that is valid at the clock's present
   * time.
   */
  call: TestEngine['call']
  get: (path: string) => Promise<LightMyRequestResponse>
  /** Posts a form as a page of the app does. */
  post: (
    path: string,
    fields?: Record<string, string>,
    over?: InjectOptions,
  ) => Promise<LightMyRequestResponse>
  /**
   * The browser's cookie header, and the engine's origin. With both a test can start another app
   * for the same engine.
   */
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
  // No browser, so launches do not wait for one. Other tests check launches with a browser.
  const engine = await startEngine({}, { CHROMIUM_PATH: 'off', ...env.engine })
  const upstreamOrigin = await engine.engine.app.listen({ port: 0, host: '127.0.0.1' })
  const config = appConfig({ APP_ORIGIN: origin, ...env.app })
  const app = await buildApp({
    config,
    upstreamOrigin,
    clock: () => engine.now.at,
    ...(env.timeouts && { timeouts: env.timeouts }),
    ...(env.usageTiming && { usageTiming: env.usageTiming }),
    ...(env.log && { log: env.log }),
  })
  const { send, cookies, get, post } = browserOf(app)
  let signedIn = -Infinity
  /** A session ends after a day. The shop's admin then signs the merchant in again. */
  const signIn = async () => {
    if (engine.now.at.getTime() - signedIn < day) return
    signedIn = engine.now.at.getTime()
    await send({ url: `/?id_token=${await engine.shop.idToken()}` })
  }
  await signIn()
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
    get: async path => {
      await signIn()
      return get(path)
    },
    post: async (...asked) => {
      await signIn()
      return post(...asked)
    },
    close: async () => {
      await app.close()
      await engine.close()
    },
  }
}

/** Sends requests as a browser does: keeps cookies and posts forms like pages of the app. */
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

/**
 * The text of a page as people read it: without tags, with entities decoded and spaces collapsed.
 */
export const textOf = (html: string): string =>
  html
    .replace(/<(script|style)[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&amp;', '&')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&#x27;', "'")
    .replace(/\s+/g, ' ')
