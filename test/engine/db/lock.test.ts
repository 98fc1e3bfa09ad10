import t from 'tap'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDb } from '../../../engine/db/connection.ts'
import { LockHeld, takeLock } from '../../../engine/db/lock.ts'
import { like } from '../support/like.ts'

const folder = () => {
  const path = mkdtempSync(join(tmpdir(), 'twinshelf-lock-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}
/**
 * Starts a second process that takes the lock of the folder; `said` is the first line that it
 * prints.
 */
async function contend(dataDir: string) {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../support/processes/lock-holder.ts'), dataDir],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    said: said.toString().trim(),
    pid: child.pid!,
    kill: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

t.test('a second process is refused and told who holds the folder', async t => {
  const dataDir = folder()
  const other = await contend(dataDir)
  t.teardown(other.kill)
  t.equal(other.said, 'held')
  try {
    takeLock(dataDir)
    t.fail('the lock was given twice')
  } catch (error) {
    t.ok(error instanceof LockHeld)
    t.match(error, { owner: { pid: other.pid, host: hostname() } })
    t.match(
      (error as Error).message,
      new RegExp(`process ${other.pid} on ${hostname()}, running since \\d{4}-`),
    )
  }
})

t.test('when we hold the folder, a second process is refused and told so', async t => {
  const dataDir = folder()
  const lock = takeLock(dataDir)
  t.match((await contend(dataDir)).said, `process ${process.pid}`)
  lock.release()
  const next = await contend(dataDir)
  t.equal(next.said, 'held', 'after the release another process gets the lock')
  await next.kill()
})

t.test('the lock of a killed process is free, even if its pid is in use again', async t => {
  const dataDir = folder()
  const dead = await contend(dataDir)
  await dead.kill()
  const note = join(dataDir, 'engine.lock.json')
  t.ok(existsSync(note), 'the note of the killed process is still there')
  writeFileSync(
    note,
    JSON.stringify({ ...JSON.parse(readFileSync(note, 'utf8')), pid: process.pid }),
  )
  const lock = takeLock(dataDir)
  t.match(JSON.parse(readFileSync(note, 'utf8')), { pid: process.pid })
  lock.release()
  t.notOk(existsSync(note))
})

t.test('when ten processes ask for the lock of a killed one, only one gets it', async t => {
  const dataDir = folder()
  await (await contend(dataDir)).kill()
  const all = await Promise.all(Array.from({ length: 10 }, () => contend(dataDir)))
  t.equal(all.filter(one => one.said === 'held').length, 1)
  await Promise.all(all.filter(one => one.said === 'held').map(one => one.kill()))
})

t.test('one process cannot take the lock twice', t => {
  const dataDir = folder()
  const lock = takeLock(dataDir)
  t.throws(() => takeLock(dataDir), like({ owner: { pid: process.pid } }))
  lock.release()
  lock.release()
  takeLock(dataDir).release()
  t.end()
})

t.test('an unreadable note does not unlock the folder', t => {
  const dataDir = folder()
  const lock = takeLock(dataDir)
  writeFileSync(join(dataDir, 'engine.lock.json'), '{')
  t.throws(() => takeLock(dataDir), /in use by another process/)
  lock.release()
  t.end()
})

t.test('opening a database locks its folder, and closing it releases the lock', async t => {
  const dataDir = join(folder(), 'made', 'as', 'needed')
  const db = await openDb({ dataDir })
  await t.rejects(openDb({ dataDir }), like({ owner: { pid: process.pid } }))
  await db.close()
  takeLock(dataDir).release()
})
