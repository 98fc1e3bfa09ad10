import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from '@playwright/test'
import { freePort } from '../ports.ts'
import { copyPreparedDatabase } from './prepared-database.ts'

/** The whole product as `npm start` runs it: one process, three ports, a data folder of its own, no demo data. */
export type Product = {
  app: string
  engine: string
  shop: string
  dataDir: string
  /** Everything the process wrote to its two outputs. */
  output: () => string
  /** What a script needs to know to find this product, and no other. */
  env: NodeJS.ProcessEnv
  /** As a power cut does: SIGKILL. */
  kill: () => Promise<void>
  /** Starts the same product again on the same data and ports. */
  restart: () => Promise<void>
  /** Orderly stop; removes the data and answers the exit code, null where a signal ended it. */
  stop: () => Promise<number | null>
}

/** Builds nothing: the suite's global set-up has done so. Resolves when the app is ready for a person. */
export async function startProduct(settings: Record<string, string> = {}): Promise<Product> {
  const dataDir = mkdtempSync(join(tmpdir(), 'twinshelf-e2e-'))
  // Demo data is made by a first start alone.
  if (settings['DEMO_DATA'] !== 'on')
    await withTimeout(() =>
      copyPreparedDatabase(dataDir, async folder => {
        await (await startOn(folder, {})).stop()
      }),
    )
  const product = await startOn(dataDir, settings)
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
  const env = {
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
    EVENTS_PER_ADDRESS: '1000000',
    EVENTS_PER_SHOP: '1000000',
    ...settings,
  }
  let child: ChildProcess
  let output = ''
  const launch = async () => {
    // The database in WebAssembly is compiled the quick way: the machine's time goes into the tests.
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

/** Longest that a start may take, with a month of demo data on a slow machine; one that ended is not waited for. Milliseconds. */
const timeout = 300_000

/** The hook or test that waits for a start is given the time for it beside its own. */
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
