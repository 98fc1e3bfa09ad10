import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { openDb } from '../../engine/db/connection.ts'
import { migrate } from '../../engine/db/migrate.ts'
import { spaceOf } from '../../engine/db/disk.ts'
import { tokenOf } from '../engine/support/hub-machine.ts'
import { seedStore } from '../engine/support/seeds.ts'
import { sessionSecret } from '../engine/support/small-shop.ts'
import { beacon, browser, event } from '../engine/support/traffic.ts'

t.setTimeout(600_000)
const megabyte = 1024 * 1024
const disk = mountSmall()

t.test(
  'on a full disk: first events are refused, the app still works, a failing start says why, and no acknowledged event is lost',
  { skip: disk === null && 'this account may not mount a file system' },
  async t => {
    t.teardown(() => {
      execFileSync('umount', [disk!])
      rmSync(disk!, { recursive: true })
    })
    const folder = join(disk!, 'data'),
      filler = join(disk!, 'filler')
    const db = await openDb({ dataDir: folder })
    await migrate(db)
    const storeId = await seedStore(db, { feature_flags: '["DomTesting"]' })
    await db.close()
    // Another program's files leave a little more than the reserve.
    fillUp(filler, 75 * megabyte)

    const engine = await start(folder)
    t.equal(engine.code(), null)
    const long = `/${'x'.repeat(2_000)}`,
      acknowledged: string[] = []
    let status = 0
    for (let i = 0; status !== 503; i++) {
      const events = Array.from({ length: 30 }, () => ({
        ...event('click', Date.now()),
        path: `${long}${i}`,
      }))
      status = (
        await fetch(`${engine.origin}/collect`, {
          method: 'POST',
          headers: {
            'content-type': 'text/plain',
            'user-agent': browser,
            origin: 'https://fern-and-kiln.demo-shop.test',
          },
          body: JSON.stringify(beacon(`visitor-${i}-full`, {}, events, { sent: Date.now() })),
        })
      ).status
      if (status === 204) acknowledged.push(...events.map(({ id }) => id))
    }
    t.comment(
      `${acknowledged.length} events were accepted; ${Math.round(spaceOf(disk!).free / megabyte)} MB are free`,
    )
    t.ok(acknowledged.length > 0)
    t.ok(spaceOf(disk!).free > 32 * megabyte, 'the reserve is there')
    t.match(await (await fetch(`${engine.origin}/healthz`)).json(), {
      ok: false,
      message: /nearly full/,
    })
    const headers = {
      authorization: `Bearer ${await tokenOf(storeId)}`,
      'content-type': 'application/json',
    }
    for (let i = 0; i < 20; i++)
      t.match(
        await (
          await fetch(`${engine.origin}/api/v0/test-drafts`, {
            method: 'POST',
            headers,
            body: JSON.stringify({ kind: 'PageElement', title: `Draft ${i}` }),
          })
        ).json(),
        { title: `Draft ${i}` },
        'drafts can still be created',
      )
    engine.child.kill('SIGKILL')
    await engine.exited

    fillUp(filler, 0)
    const failed = await start(folder)
    t.equal(failed.code(), 1)
    t.match(failed.said(), /The disk under the data folder .* is full .* Make room there/)
    rmSync(filler)
    const again = await start(folder)
    t.equal(again.code(), null)
    const body = JSON.stringify(
      beacon('visitor-afterwards', {}, [event('view', Date.now())], { sent: Date.now() }),
    )
    t.equal(
      (
        await fetch(`${again.origin}/collect`, {
          method: 'POST',
          headers: {
            'content-type': 'text/plain',
            'user-agent': browser,
            origin: 'https://fern-and-kiln.demo-shop.test',
          },
          body,
        })
      ).status,
      204,
      'with free space events are accepted again',
    )
    again.child.kill('SIGKILL')
    await again.exited
    const after = await openDb({ dataDir: folder })
    const there = new Set(
      (await sql<{ id: string }>`select id from events`.execute(after.kysely)).rows.map(
        ({ id }) => id,
      ),
    )
    t.same(
      acknowledged.filter(id => !there.has(id)),
      [],
      'no acknowledged event is missing',
    )
    t.equal((await sql`select 1 from drafts`.execute(after.kysely)).rows.length, 20)
    await after.close()
  },
)

/** Mounts a small file system. Returns null when this account may not mount. */
function mountSmall(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-small-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'tmpfs', folder], { stdio: 'ignore' })
    return folder
  } catch {
    rmSync(folder, { recursive: true })
    return null
  }
}

/** Writes to the file until `left` bytes are free. */
function fillUp(file: string, left: number): void {
  const to = openSync(file, 'a'),
    block = Buffer.alloc(256 * 1024)
  try {
    while (spaceOf(disk!).free > left) writeSync(to, block)
  } catch {
    /* the disk is completely full */
  } finally {
    closeSync(to)
  }
}

/** Starts an engine on this folder. Returns when it listens or has ended. */
async function start(folder: string) {
  const child = fork(new URL('../engine/support/processes/engine-process.ts', import.meta.url), {
    env: {
      ...process.env,
      DATA_DIR: folder,
      DATABASE_URL: '',
      SESSION_SECRET: sessionSecret,
      EVENTS_PER_ADDRESS: '100000000',
      EVENTS_PER_SHOP: '100000000',
    },
    execArgv: ['--liftoff-only'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let said = ''
  child.stderr!.on('data', (text: Buffer) => {
    said += String(text)
  })
  const exited = once(child, 'exit')
  const port = await Promise.race([
    once(child, 'message').then(([message]) => message as number),
    exited.then(() => 0),
  ])
  return {
    child,
    exited,
    origin: `http://127.0.0.1:${port}`,
    code: () => child.exitCode,
    said: () => said,
  }
}
