import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request as ask } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { buildDemoShop } from '../../../demo-shop/app.ts'
import type { AuthTokens } from '../../../domain/calls/session.ts'
import { isFinished, type Job } from '../../../domain/jobs/job.ts'
import type { StoreInfo } from '../../../domain/stores/store.ts'
import { openDb, postgresDb } from '../../../engine/db/connection.ts'
import { freshDb } from '../support/harness.ts'
import { appKey, appSecret, sessionSecret } from '../support/small-shop.ts'
import { idTokenOf } from '../support/with-shop.ts'

// Each start of PGlite takes a second or two. On Postgres the lease of the killed process must
// expire first.
t.setTimeout(300_000)
const folder = mkdtempSync(join(tmpdir(), 'twinshelf-uninstall-'))
const database = process.env['TEST_DATABASE_URL'] ? await freshDb() : null
const url = database?.pool?.options.connectionString ?? ''

/**
 * The request at which the proxy before the shop kills the engine, after the shop has done it and
 * before the answer.
 */
let killAt = '',
  engine: ChildProcess | undefined
const calls: string[] = []
const proxy = createServer((request, response) => {
  const call = `${request.method} ${request.url}`
  calls.push(call)
  const on = ask(
    {
      host: '127.0.0.1',
      port: (shop.app.server.address() as AddressInfo).port,
      path: request.url,
      method: request.method,
      headers: request.headers,
    },
    answer => {
      if (call === killAt) {
        killAt = ''
        answer.resume()
        engine!.kill('SIGKILL')
        return response.destroy()
      }
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    },
  )
  request.pipe(on)
})
await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
const shopOrigin = `http://localhost:${(proxy.address() as AddressInfo).port}`
const nobody = 'http://127.0.0.1:9'
const shop = await buildDemoShop({
  origin: shopOrigin,
  appOrigin: nobody,
  engineOrigin: nobody,
  dataDir: folder,
  appKey,
  appSecret,
})
await shop.app.listen({ port: 0, host: '127.0.0.1' })
t.teardown(async () => {
  engine?.kill('SIGKILL')
  proxy.close()
  proxy.closeAllConnections()
  await shop.close()
  await database?.close()
  rmSync(folder, { recursive: true, force: true })
})

const env = {
  DATA_DIR: folder,
  DATABASE_URL: url,
  DEMO_SHOP_ORIGIN: shopOrigin,
  PUBLIC_ORIGIN: nobody,
  SESSION_SECRET: sessionSecret,
  DEMO_APP_KEY: appKey,
  DEMO_APP_SECRET: appSecret,
}
async function start() {
  const child = (engine = fork(new URL('../support/processes/engine-process.ts', import.meta.url), {
    env: { ...process.env, ...env },
    execArgv: ['--liftoff-only'],
  }))
  const exited = once(child, 'exit')
  const port = await Promise.race([
    once(child, 'message').then(([message]) => message as number),
    exited.then(() => Promise.reject(new Error('The engine did not start.'))),
  ])
  const call = async <T>(
    method: string,
    path: string,
    token: string | null,
    body?: object,
  ): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path} ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }
  return { call, exited }
}

for (const at of ['DELETE /admin/api/script', 'POST /admin/api/uninstall'])
  t.test(`kill −9 after ${at}: after a new start the uninstall is completed once`, async t => {
    await shop.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/install' })
    const first = await start()
    const { token } = await first.call<AuthTokens>('POST', '/auth', null, {
      idToken: await idTokenOf(),
    })
    const { id } = await first.call<StoreInfo>('GET', '/api/v0/stores/info', token)
    killAt = at
    calls.length = 0
    const { jobId } = await first.call<{ jobId: string }>(
      'POST',
      `/api/v0/stores/${id}/uninstall`,
      token,
      { category: 'other', reason: '' },
    )
    await first.exited

    const second = await start()
    let job: Job
    do {
      await wait(100)
      job = await second.call<Job>('GET', `/api/v0/store-jobs/${jobId}`, token)
    } while (!isFinished(job.status))
    t.match(job, {
      status: 'completed',
      message: 'Uninstalled. Nothing of Twinshelf is left in the shop.',
    })
    await t.rejects(
      second.call<StoreInfo>('GET', '/api/v0/stores/info', token),
      /401/,
      'the token can read the result of the uninstall, and nothing else',
    )
    t.notMatch((await shop.app.inject('/')).body, 'twinshelf.js')
    t.match((await shop.app.inject('/admin/apps')).body, 'Install app')
    engine!.kill('SIGKILL')
    await second.exited

    const db = url ? postgresDb(url) : await openDb({ dataDir: folder })
    try {
      t.equal(
        (
          await db.kysely
            .selectFrom('stores')
            .select('status')
            .where('store_id', '=', id)
            .executeTakeFirstOrThrow()
        ).status,
        'uninstalled',
      )
      t.equal(
        (
          await db.kysely
            .selectFrom('uninstalls')
            .select('finished_at')
            .where('uninstall_id', '=', jobId)
            .where('finished_at', 'is not', null)
            .execute()
        ).length,
        1,
      )
      t.equal(
        (
          await db.kysely
            .selectFrom('jobs')
            .select('job_id')
            .where('kind', '=', 'uninstall')
            .where('job_id', '=', jobId)
            .execute()
        ).length,
        1,
      )
    } finally {
      await db.close()
    }
  })
