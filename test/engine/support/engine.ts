import { writeFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { CallName, Input, Output } from '../../../domain/api/contract.ts'
import { type Call, callPath } from '../../../domain/api/call.ts'
import { contract } from '../../../domain/api/contract.ts'
import type { Problem } from '../../../domain/problem.ts'
import { buildEngine, type Engine } from '../../../engine/app.ts'
import type { EngineOptions } from '../../../engine/app-options.ts'
import { engineConfig } from '../../../engine/config.ts'
import type { Db } from '../../../engine/db/connection.ts'
import { tokenEnd } from '../../../server/session/session.ts'
import { freshDb } from './harness.ts'
import { appKey, appSecret, sessionSecret, smallShop, type SmallShop } from './small-shop.ts'

/**
 * An engine with its own database and one small shop, and a function that calls it as the merchant.
 * It sums up, counts and checks only when the test asks, never by the clock.
 */
export type TestEngine = {
  engine: Engine
  shop: SmallShop
  db: Db
  /** The engine's clock; `now.at` may be set. */
  now: { at: Date }
  /** Calls as the shop's merchant. A refusal is thrown as `Refused`. */
  call: <N extends CallName>(name: N, input: Input<N>, token?: string) => Promise<Output<N>>
  token: string
  /** The merchant's token: the same one while it is valid by the engine's clock, then a new one. */
  ownToken: () => Promise<string>
  close: () => Promise<void>
}

export class Refused extends Error {
  readonly status: number
  readonly problem: Problem
  constructor(status: number, problem: Problem) {
    super(`${status} ${problem.message}`)
    this.status = status
    this.problem = problem
  }
}

/** The refusal of a call. Throws when the call succeeds. */
export async function refusal(work: Promise<unknown>): Promise<Refused> {
  try {
    await work
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
  throw new Error('It was not refused.')
}

export async function startEngine(
  over: Partial<EngineOptions> = {},
  env: Record<string, string> = {},
): Promise<TestEngine> {
  const shop = await smallShop()
  const db = over.db ?? (await freshDb())
  const now = { at: new Date() }
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-engine-'))
  const runtime = join(folder, 'storefront.js')
  writeFileSync(runtime, '(()=>{const config=__TWINSHELF_CONFIG__;globalThis.ran=config})()')
  const config = engineConfig({
    DATA_DIR: folder,
    ENGINE_PORT: '0',
    PUBLIC_ORIGIN: 'https://app.example.test',
    DEMO_SHOP_ORIGIN: shop.origin,
    SESSION_SECRET: sessionSecret,
    DEMO_APP_KEY: appKey,
    DEMO_APP_SECRET: appSecret,
    ...env,
  })
  const engine = await buildEngine({
    config,
    clock: () => now.at,
    publishEvery: 50,
    byItself: false,
    runtimeFile: pathToFileURL(runtime),
    quotas: { requests: 10_000_000 },
    ...over,
    db,
  })
  const signIn = async (): Promise<string> =>
    (await call('auth', { body: { idToken: await shop.idToken() } })).token
  const ownToken = keptToken(signIn, now),
    call = caller(engine, ownToken)
  const token = await ownToken()
  return {
    engine,
    shop,
    db,
    now,
    call,
    token,
    ownToken,
    close: async () => {
      await engine.close()
      await shop.close()
      if (!over.db) await db.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Returns a function that gives a merchant's token. It signs in again when the test has set the
 * clock past the token's end.
 */
export function keptToken(signIn: () => Promise<string>, now: { at: Date }): () => Promise<string> {
  let token: Promise<string> | undefined
  return async () => {
    if (token === undefined || tokenEnd(await token) <= now.at.getTime()) token = signIn()
    return token
  }
}

/** Makes calls of the contract through Fastify's `inject`. */
export function caller(
  engine: Engine,
  ownToken: () => string | Promise<string>,
): TestEngine['call'] {
  return async (name, input, token) => {
    const call: Call = contract[name]
    const {
      params = {},
      query = {},
      body,
    } = input as { params?: Record<string, string>; query?: Record<string, unknown>; body?: object }
    const response = await engine.app.inject({
      method: call.method,
      url: callPath(call.path, 'demo', params),
      query: Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)])),
      ...(body && { payload: body }),
      headers:
        call.token === false ? {} : { authorization: `Bearer ${token ?? (await ownToken())}` },
    })
    if (response.statusCode !== 200)
      throw new Refused(response.statusCode, response.json<Problem>())
    return response.json()
  }
}
