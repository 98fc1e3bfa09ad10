import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Test } from 'tap'
import { buildDemoShop, type DemoShop } from '../../../demo-shop/app.ts'
import { type Db, postgresDb } from '../../../engine/db/connection.ts'
import { freePort } from '../../../scripts/free-port.ts'
import { startPostgres, type TemporaryPostgres } from '../../../scripts/postgres.ts'
import { startHaproxy, startPgbouncer } from '../../../scripts/testing/servers.ts'
import { capabilitiesOfRun } from '../../stories/story-needs.ts'
import { turnScriptOn } from '../../engine/support/shops/script-on.ts'
import { appKey, appSecret, sessionSecret } from '../../engine/support/small-shop.ts'

/** A process of the fleet, as operators start it. */
export type Member = {
  name: string
  port: number
  pid: () => number | null
  /** SIGKILL, as when the machine dies. */
  kill: () => Promise<void>
  /** Starts it again; settles when it is ready. */
  start: () => Promise<void>
  /** The end of what it has written. */
  said: () => string
}

/** Engines and apps behind a load balancer, PgBouncer in transaction mode before Postgres. */
export type Fleet = {
  engines: Member[]
  apps: Member[]
  /** Origins at the load balancer. */
  app: string
  engine: string
  shop: DemoShop
  shopOrigin: string
  /** Through PgBouncer, as the engines have it. */
  pooled: Db
  /** The server itself. */
  db: Db
  postgres: TemporaryPostgres
}

/** Longest time until a process is ready, on a machine that is busy with other work. */
const startsWithin = 120_000

async function member(
  name: string,
  args: readonly string[],
  port: number,
  env: Record<string, string>,
): Promise<Member> {
  let child: ChildProcess | null = null,
    said = ''
  const own: Member = {
    name,
    port,
    pid: () => child?.pid ?? null,
    said: () => said,
    kill: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
    start: async () => {
      child = spawn(process.execPath, ['--liftoff-only', ...args], {
        env: { ...process.env, NODE_OPTIONS: '', ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      for (const stream of [child.stdout!, child.stderr!])
        stream.on('data', (part: Buffer) => {
          said = (said + String(part)).slice(-20_000)
        })
      for (const end = Date.now() + startsWithin; ; await setTimeout(50)) {
        const status = await fetch(`http://127.0.0.1:${port}/healthz`).then(
          async answer => {
            await answer.text()
            return answer.status
          },
          () => 0,
        )
        if (status === 200) return
        if (child.exitCode !== null || Date.now() > end)
          throw new Error(`${name} did not start: ${said}`)
      }
    },
  }
  await own.start()
  return own
}

/** Starts three engines and three apps with everything around them. */
export async function startFleet(t: Test): Promise<Fleet> {
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-fleet-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const postgres = await startPostgres()
  if (!postgres) throw new Error('There is no Postgres on this machine.')
  t.teardown(postgres.stop)
  const pooler = await startPgbouncer(postgres.url)
  t.teardown(pooler.stop)
  const ports = async () => [await freePort(), await freePort(), await freePort()]
  const [ofEngines, ofApps] = [await ports(), await ports()]
  const balancer = await startHaproxy({
    engine: { servers: ofEngines, health: '/healthz' },
    app: { servers: ofApps, health: '/healthz' },
  })
  t.teardown(balancer.stop)
  const app = `http://localhost:${balancer.ports.app}`,
    engine = `http://localhost:${balancer.ports.engine}`
  const shopOrigin = `http://localhost:${await freePort()}`
  const shop = await buildDemoShop({
    origin: shopOrigin,
    appOrigin: app,
    engineOrigin: engine,
    dataDir: folder,
    appKey,
    appSecret,
    capabilities: capabilitiesOfRun(),
  })
  t.teardown(shop.close)
  turnScriptOn(shop)
  await shop.app.listen({ port: Number(new URL(shopOrigin).port), host: '127.0.0.1' })
  const env = {
    NODE_ENV: 'test',
    LOG_LEVEL: 'warn',
    METRICS_PORT: 'off',
    CHROMIUM_PATH: 'off',
    DATA_DIR: folder,
    SESSION_SECRET: sessionSecret,
    APP_ORIGIN: app,
    TRUST_PROXY: 'loopback',
  }
  const engines: Member[] = [],
    apps: Member[] = []
  t.teardown(() => Promise.all([...engines, ...apps].map(each => each.kill())))
  for (const [i, port] of ofEngines.entries())
    engines.push(
      await member(`engine ${i}`, ['dist/engine.js'], port!, {
        ...env,
        ENGINE_PORT: String(port),
        DATABASE_URL: pooler.url,
        DATABASE_LISTEN_URL: postgres.url,
        DEMO_SHOP_ORIGIN: shopOrigin,
        DEMO_APP_KEY: appKey,
        DEMO_APP_SECRET: appSecret,
        COLLECT_PER_ADDRESS: '1000000',
        EVENTS_PER_ADDRESS: '100000000',
        EVENTS_PER_SHOP: '100000000',
      }),
    )
  for (const [i, port] of ofApps.entries())
    apps.push(
      await member(`app ${i}`, ['dist/main.js'], port!, {
        ...env,
        PORT: String(port),
        API_ORIGIN: engine,
        DEMO_SHOP: 'off',
      }),
    )
  const db = postgresDb(postgres.url),
    pooled = postgresDb(pooler.url)
  t.teardown(async () => {
    await db.close()
    await pooled.close()
  })
  return { engines, apps, app, engine, shop, shopOrigin, pooled, db, postgres }
}
