import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import t from 'tap'
import { buildDemoShop } from '../../../../demo-shop/app.ts'
import { isFinished, type JobStatus } from '../../../../domain/jobs/job.ts'
import { screenshotDevices } from '../../../../domain/drafts/pictures/screenshot.ts'
import { findChromium } from '../../../../engine/browser/chromium.ts'
import { holdPort } from '../../../ports.ts'
import { appKey, appSecret, firstShop, sessionSecret } from '../../support/small-shop.ts'

// The test starts two engines, and each starts a Chromium.
t.setTimeout(300_000)
const drawing = { skip: !findChromium(process.env['CHROMIUM_PATH']) && 'no Chromium here' }

t.test('a job that was killed half way is completed after the next start', drawing, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-killed-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const ofShop = await holdPort(),
    shopOrigin = `http://localhost:${ofShop.port}`
  const env = {
    ...process.env,
    DATA_DIR: folder,
    DATABASE_URL: '',
    ENGINE_PORT: '0',
    PUBLIC_ORIGIN: 'https://app.example.test',
    SESSION_SECRET: sessionSecret,
    DEMO_APP_KEY: appKey,
    DEMO_APP_SECRET: appSecret,
    DEMO_SHOP_ORIGIN: shopOrigin,
  }
  const shop = await buildDemoShop({
    origin: shopOrigin,
    appOrigin: shopOrigin,
    engineOrigin: 'http://127.0.0.1:9',
    dataDir: folder,
    appKey,
    appSecret,
  })
  await ofShop.release()
  await shop.app.listen({ port: ofShop.port, host: '127.0.0.1' })
  t.teardown(shop.close)

  const first = await startProcess(env)
  t.teardown(first.kill)
  const token = (
    (await (
      await fetch(`${first.origin}/auth`, json({ idToken: await signedIdToken() }))
    ).json()) as { token: string }
  ).token
  const ask = async <T>(origin: string, path: string, init: RequestInit = {}): Promise<T> => {
    const response = await fetch(origin + path, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${token}` },
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json() as Promise<T>
  }
  const draft = await ask<{ id: string; hypotheses: { id: string }[] }>(
    first.origin,
    '/api/v0/test-drafts',
    json({ kind: 'PageElement', title: 'Killed' }),
  )
  const { jobId } = await ask<{ jobId: string }>(
    first.origin,
    `/api/v0/test-drafts/${draft.id}/update-screenshots`,
    { method: 'POST' },
  )
  const job = (origin: string) =>
    ask<{ status: JobStatus; message: string | null; progress: number }>(
      origin,
      `/api/v0/store-jobs/${jobId}`,
    )
  await until(async () => (await job(first.origin)).progress >= 0.25)
  await first.kill()
  // The browser of the first engine ends a moment after it.
  await until(async () => !browsersOf(first.child.pid!))

  const second = await startProcess(env)
  t.teardown(second.kill)
  await until(async () => isFinished((await job(second.origin)).status))
  t.match(await job(second.origin), { status: 'completed', progress: 1 })
  for (const { id } of draft.hypotheses) {
    for (const device of Object.keys(screenshotDevices)) {
      const response = await fetch(
        `${second.origin}/api/v0/hypotheses/${id}/screenshots/${device}`,
        { headers: { authorization: `Bearer ${token}` } },
      )
      t.equal(response.status, 200, `${device} of ${id}`)
      t.ok((await response.bytes()).length > 5_000)
    }
  }
})

const json = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/**
 * Starts an engine in a process. `kill` resolves when the process has ended: until then it may
 * write to its folder.
 */
async function startProcess(
  env: NodeJS.ProcessEnv,
): Promise<{ child: ChildProcess; origin: string; kill: () => Promise<void> }> {
  const child = fork(join(import.meta.dirname, '../../support/processes/engine-process.ts'), {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const [port] = (await once(child, 'message')) as [number]
  return {
    child,
    origin: `http://127.0.0.1:${port}`,
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

function signedIdToken(): Promise<string> {
  const now = Math.floor(Date.now() / 1000),
    issuer = `https://${firstShop}`
  return new SignJWT({
    iss: issuer,
    dest: issuer,
    aud: appKey,
    sub: '7',
    exp: now + 60,
    nbf: now,
    iat: now,
    jti: randomUUID(),
    sid: randomUUID(),
  })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(appSecret))
}

/**
 * Whether a browser that process `pid` started is still running. The name of its profile folder
 * contains the pid.
 */
const browsersOf = (pid: number): boolean =>
  readdirSync('/proc').some(entry => {
    try {
      return (
        /^\d+$/.test(entry) &&
        readFileSync(`/proc/${entry}/cmdline`, 'utf8').includes(`twinshelf-chromium-${pid}-`)
      )
    } catch {
      return false
    }
  })

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 120_000; !(await isSo());) {
    if (Date.now() > deadline) throw new Error('waited in vain')
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}
