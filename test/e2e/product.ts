import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from '@playwright/test'
import { storyBrowser } from '../../scripts/chromium.ts'
import { freePort } from '../ports.ts'
import { copyPreparedDatabase } from './prepared-database.ts'
import { turnScriptOn } from './sent-visitors.ts'
import { slowness } from '../slowness.ts'

/**
 * The whole product as `npm start` runs it: one process, three ports, its own data folder, no demo
 * data.
 */
export type Product = {
  app: string
  engine: string
  shop: string
  /** Where the shop's admin shows the app. */
  admin: string
  dataDir: string
  /** Everything the process wrote to its two outputs. */
  output: () => string
  /** The environment with which a script uses this product. */
  env: NodeJS.ProcessEnv
  /** Kills the process with SIGKILL, as a power cut would. */
  kill: () => Promise<void>
  /** Starts the same product again on the same data and ports. */
  restart: () => Promise<void>
  /**
   * Stops the process by SIGTERM and removes the data. Returns the exit code, or null when a signal
   * ended the process.
   */
  stop: () => Promise<number | null>
}

/** What `npm run stories -- --platform=shopify` starts every product with. */
const storyPlatform: Record<string, string> =
  process.env['STORY_PLATFORM'] === 'shopify'
    ? { PLATFORMS: 'shopify', ADMIN_EMAIL: 'jonas@twinshelf.test' }
    : {}

/** Where the demo shop's admin shows the app when it answers as a shop of Shopify. */
const shopifyApp = '/admin/store/fern-and-kiln/apps/twinshelf'

/**
 * Starts the product. The suite's global setup has built it. Resolves when the app answers pages,
 * and our script is on where the shop has a switch for it.
 */
export async function startProduct(given: Record<string, string> = {}): Promise<Product> {
  const settings = { ...storyPlatform, ...given }
  const dataDir = mkdtempSync(join(tmpdir(), 'twinshelf-e2e-'))
  // Only a first start on an empty folder makes demo data.
  if (settings['DEMO_DATA'] !== 'on')
    await withTimeout(() =>
      copyPreparedDatabase(dataDir, async folder => {
        await (await startOn(folder, {})).stop()
      }),
    )
  const product = await startOn(dataDir, settings)
  if (settings['PLATFORMS'] !== 'shopify')
    await turnScriptOn(
      `http://localhost:${product.env['DEMO_SHOP_PORT']}`,
      product.env['DEMO_ADMIN_ORIGIN'],
    ).catch(async (error: unknown) => {
      await product.kill()
      throw error
    })
  return {
    ...product,
    stop: async () => {
      const code = await product.stop()
      rmSync(dataDir, { recursive: true, force: true })
      return code
    },
  }
}

async function startOn(dataDir: string, settings: Record<string, string>): Promise<Product> {
  const [port, enginePort, shopPort] = [await freePort(), await freePort(), await freePort()]
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_ENV: 'test',
    PORT: String(port),
    ENGINE_PORT: String(enginePort),
    DEMO_SHOP_PORT: String(shopPort),
    METRICS_PORT: 'off',
    DATABASE_URL: '',
    DATA_DIR: dataDir,
    DEMO_DATA: 'off',
    LOG_LEVEL: 'warn',
    CHROMIUM_PATH: storyBrowser(),
    EVENTS_PER_ADDRESS: '1000000',
    EVENTS_PER_SHOP: '1000000',
    ...settings,
  }
  let child: ChildProcess
  let output = ''
  const launch = async () => {
    // --liftoff-only compiles the database's WebAssembly fast, which leaves more time for the
    // tests.
    child = spawn(process.execPath, ['--liftoff-only', '--enable-source-maps', 'dist/main.js'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
    await withTimeout(() =>
      isReady(
        `http://localhost:${port}/readyz`,
        () => child.exitCode === null && child.signalCode === null,
        () => output,
      ),
    ).catch((error: unknown) => {
      child.kill('SIGKILL')
      throw error
    })
  }
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
    return child.exitCode
  }
  await launch()
  return {
    app: `http://localhost:${port}`,
    engine: `http://localhost:${enginePort}`,
    shop: `http://localhost:${shopPort}`,
    admin: `http://localhost:${shopPort}${env.PLATFORMS === 'shopify' ? shopifyApp : '/admin/apps/twinshelf'}`,
    dataDir,
    env,
    output: () => output,
    kill: async () => {
      await end('SIGKILL')
    },
    restart: launch,
    stop: () => end('SIGTERM'),
  }
}

/**
 * Timeout of a start with a month of demo data on a machine that is busy with other work: with 15
 * processes for two cores it took more than five minutes. A process that has ended fails at once.
 * Milliseconds.
 */
const timeout = 600_000 * slowness

/** Adds the timeout of a start to the timeout of the present test or hook, and runs `act`. */
export function withTimeout<T>(act: () => Promise<T>): Promise<T> {
  test.setTimeout(test.info().timeout + timeout)
  return act()
}

async function isReady(url: string, isAlive: () => boolean, output: () => string): Promise<void> {
  const late = AbortSignal.timeout(timeout)
  for (;;) {
    const answer = await fetch(url, { signal: late }).catch(() => null)
    if (answer?.ok) return
    if (!isAlive() || late.aborted) throw new Error(`The product did not start:\n${output()}`)
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}
