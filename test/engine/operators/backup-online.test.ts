import { execFile } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import t from 'tap'
import { openDb } from '../../../engine/db/connection.ts'
import { migrate } from '../../../engine/db/migrate.ts'
import { askSnapshot, operatorSocket } from '../../../engine/operators/operator-socket.ts'
import { quietLog } from '../support/quiet-log.ts'
import { seedStore, seedTest } from '../support/seeds.ts'

// This file is for the embedded database, whose folder only one process can open. On Postgres the
// backup command reads from the server.
t.setTimeout(180_000)
const folder = mkdtempSync(join(tmpdir(), 'ts-backup-')),
  dataDir = join(folder, 'data')
const db = await openDb({ dataDir })
await migrate(db)
const store = await seedStore(db),
  test = await seedTest(db, store)
await db.kysely
  .insertInto('published_scripts')
  .values({ store_id: store, wanted: 3, published: 3, next_attempt_at: new Date() })
  .execute()
const socket = await operatorSocket({ pglite: db.pglite!, dataDir, log: quietLog })
t.teardown(async () => {
  await socket.close()
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})
const note = (n: number) =>
  db.kysely
    .insertInto('test_events')
    .values({
      store_id: store,
      test_id: test,
      kind: 'Modified',
      at: new Date(),
      detail: `note ${n}`,
      value: n,
      mark: null,
    })
    .execute()
const command = (script: string, args: string[], env: Record<string, string>) =>
  promisify(execFile)(process.execPath, ['--liftoff-only', `scripts/${script}.ts`, ...args], {
    env: { ...process.env, DATABASE_URL: '', ...env },
  })

async function until(isTrue: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !isTrue(); await wait(5))
    if (Date.now() > end) throw new Error('waited in vain')
}

t.test(
  'a snapshot is one moment of a database that is still written to, and is deleted when the client has gone',
  async t => {
    let written = 0
    const over = new AbortController()
    const writing = (async () => {
      while (!over.signal.aborted) {
        await note(written++)
        // The embedded database answers without a turn of the event loop. Without this wait nothing
        // else would run.
        await wait(0)
      }
    })()
    await until(() => written >= 50)
    const known = written,
      snapshot = (await askSnapshot(dataDir))!
    t.equal(
      statSync(join(dataDir, 'operator')).mode & 0o077,
      0,
      'no other user can open the folder',
    )
    const copy = await openDb({ dataDir: snapshot.dataDir })
    const {
      rows: [found],
    } = await sql<{
      n: number
      last: number
    }>`select count(*)::int as n, max(value)::int as last from test_events where detail like 'note %'`.execute(
      copy.kysely,
    )
    await copy.close()
    over.abort()
    await writing
    t.ok(found!.n >= known, `${found!.n} notes, and ${known} were acknowledged before`)
    t.equal(found!.last, found!.n - 1, 'the notes have no gap')
    t.ok(written > found!.n, 'more notes were written meanwhile')
    snapshot.release()
    for (let n = 0; existsSync(snapshot.dataDir) && n < 200; n++) await wait(20)
    t.notOk(existsSync(snapshot.dataDir))
    const status = await new Promise<number>(resolve => {
      request({ socketPath: join(dataDir, 'operator/socket'), path: '/' }, answer => {
        answer.resume()
        resolve(answer.statusCode!)
      }).end()
    })
    t.equal(status, 404)
    t.equal(
      await askSnapshot(join(folder, 'nowhere')),
      null,
      'without a running product there is no snapshot',
    )
  },
)

t.test(
  'npm run backup works sealed while the product runs, and after a restore every script is published again',
  async t => {
    const file = join(folder, 'a.backup'),
      other = join(folder, 'restored'),
      secrets = { SECRETS: 'another-secret-of-2027, the-secret-of-the-backup', BACKUP_SEAL: 'on' }
    const { stdout } = await command('backup', [file], {
      DATA_DIR: dataDir,
      SECRETS: 'the-secret-of-the-backup',
      BACKUP_SEAL: 'on',
    })
    t.match(
      stdout,
      /^\d+ rows written to .*a\.backup while the product runs; its database waited for \d+ ms/,
    )
    t.equal(statSync(file).mode & 0o077, 0)
    t.same(readdirSync(join(dataDir, 'operator')), ['socket'], 'the copy is deleted')
    await t.rejects(
      command('restore', [file], { DATA_DIR: other, SECRETS: 'a-secret-that-is-no-good' }),
      /not among SECRETS/,
    )
    t.notOk(existsSync(other), 'no folder is created for it')
    t.match(
      (await command('restore', [file], { DATA_DIR: other, ...secrets })).stdout,
      /rows restored/,
    )
    const restored = await openDb({ dataDir: other })
    const [here, there] = await Promise.all(
      [db, restored].map(
        async each =>
          (
            await sql`select test_id, detail, value from test_events order by seq`.execute(
              each.kysely,
            )
          ).rows,
      ),
    )
    const { wanted, published } = await restored.kysely
      .selectFrom('published_scripts')
      .select(['wanted', 'published'])
      .executeTakeFirstOrThrow()
    await restored.close()
    t.same(there, here)
    t.ok(wanted > published)
    const changed = readFileSync(file)
    changed[changed.length - 5]! ^= 1
    writeFileSync(file, changed)
    await t.rejects(
      command('restore', [file], { DATA_DIR: join(folder, 'changed'), ...secrets }),
      /changed or is not whole/,
    )
    const forged = join(folder, 'forged.backup.sealed')
    await command('backup', [forged], { DATA_DIR: dataDir, BACKUP_SEAL: 'off' })
    await t.rejects(
      command('restore', [forged], { DATA_DIR: join(folder, 'forged'), ...secrets }),
      /not sealed, so nobody can know who made it/,
    )
    t.notOk(
      existsSync(join(folder, 'forged')),
      'with sealing on, an unsealed backup is not restored',
    )
  },
)

t.test('the product starts even if it cannot open the operator socket', async t => {
  const file = join(folder, 'no-folder'),
    told: unknown[] = []
  writeFileSync(file, '')
  const log = {
    ...quietLog,
    warn: (...said: unknown[]) => {
      told.push(said)
    },
  } as typeof quietLog
  const none = await operatorSocket({ pglite: db.pglite!, dataDir: file, log })
  t.match(told, [[{ err: Error }, /no operator socket/]])
  await none.close()
})

t.test(
  'a client that leaves during the copy leaves no copy behind, and without disk space none is made',
  async t => {
    const asked = request({
      socketPath: join(dataDir, 'operator/socket'),
      method: 'POST',
      path: '/snapshot',
    })
    asked.on('error', () => {})
    asked.end()
    const folderOf = () =>
      readdirSync(join(dataDir, 'operator')).filter(name => name.startsWith('snapshot-'))
    await until(() => folderOf().length > 0)
    asked.destroy()
    await until(() => folderOf().length === 0)
    // A sparse file of 8 TiB, which takes no disk space itself.
    const vast = join(dataDir, 'pg/vast')
    closeSync(openSync(vast, 'w'))
    truncateSync(vast, 2 ** 43)
    await t.rejects(askSnapshot(dataDir), /no room for a copy of the database: \d+ MB/)
    rmSync(vast)
    t.same(folderOf(), [])
  },
)
