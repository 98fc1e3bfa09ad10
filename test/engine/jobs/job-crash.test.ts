import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { freshDb } from '../support/harness.ts'
import { crashes } from '../support/processes/job-crashes.ts'
import { appKey, appSecret, sessionSecret, smallShop } from '../support/small-shop.ts'

// Each run of `live` starts an engine.
t.setTimeout(300_000)
const folder = mkdtempSync(join(tmpdir(), 'twinshelf-jobs-'))
const database = process.env['TEST_DATABASE_URL'] ? await freshDb() : null
const shop = await smallShop()
t.teardown(async () => {
  await shop.close()
  await database?.close()
  rmSync(folder, { recursive: true, force: true })
})
const env = {
  ...process.env,
  DATA_DIR: folder,
  DATABASE_URL: database?.pool?.options.connectionString ?? '',
  DEMO_SHOP_ORIGIN: shop.origin,
  SESSION_SECRET: sessionSecret,
  DEMO_APP_KEY: appKey,
  DEMO_APP_SECRET: appSecret,
}

/**
 * Runs an engine until it ends: returns its exit code or signal, and what it reported about the job
 * `check`.
 */
async function live(orders: {
  seed?: string | undefined
  check?: string | undefined
  killAt?: string | undefined
}) {
  const child = fork(
    new URL('../support/processes/job-crash-process.ts', import.meta.url),
    [JSON.stringify(orders)],
    {
      env,
      execArgv: ['--liftoff-only'],
    },
  )
  let told: unknown = null
  child.on('message', message => {
    told = message
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  return { code, signal, told }
}

// The first engine of each job also checks how the job before it ended.
const names = Object.keys(crashes)
for (const [n, name] of [...names, undefined].entries())
  t.test(name ? `${name} is killed` : 'the last job is checked', async t => {
    const [first, ...others] = name ? crashes[name]!.kills : [undefined]
    const check = names[n - 1]
    const life = await live({ seed: name, check, killAt: first })
    t.match(life, name ? { signal: 'SIGKILL' } : { code: 0 })
    if (check)
      t.match(
        life.told,
        {
          status: 'completed',
          starts: crashes[check]!.kills.length + 1,
          outcome: crashes[check]!.expected,
        },
        `${check} has completed exactly once`,
      )
    for (const killAt of others)
      t.match(
        await live({ killAt }),
        { signal: 'SIGKILL' },
        'the job is started again and killed again',
      )
  })
