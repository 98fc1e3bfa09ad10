import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import S3rver from 's3rver'
import t, { type Test } from 'tap'
import { backupName, backupPlace, type BackupPlace, keepFile } from '../../engine/backup-places.ts'
import { backupSchedule } from '../../engine/backup-schedule.ts'
import { openDb } from '../../engine/db/connection.ts'
import { migrate } from '../../engine/db/migrate.ts'
import { askSnapshot, operatorSocket } from '../../engine/operator-socket.ts'
import { freePort } from '../ports.ts'
import { quietLog } from './quiet-log.ts'
import { seedStore, seedTest } from './seeds.ts'

// The embedded database alone has a folder that is one process's: on Postgres the command reads beside the program.
t.setTimeout(180_000)
const folder = mkdtempSync(join(tmpdir(), 'ts-backup-')), dataDir = join(folder, 'data')
const db = await openDb({ dataDir })
await migrate(db)
const store = await seedStore(db), test = await seedTest(db, store)
await db.kysely.insertInto('published_scripts').values({ store_id: store, wanted: 3, published: 3, next_attempt_at: new Date() }).execute()
const socket = await operatorSocket({ pglite: db.pglite!, dataDir, log: quietLog })
t.teardown(async () => {
  await socket.close()
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})
const note = (n: number) => db.kysely.insertInto('test_events').values({ store_id: store, test_id: test, kind: 'Modified', at: new Date(), detail: `note ${n}`, value: n, mark: null }).execute()
const command = (script: string, args: string[], env: Record<string, string>) => promisify(execFile)(process.execPath, ['--liftoff-only', `scripts/${script}.ts`, ...args], { env: { ...process.env, DATABASE_URL: '', ...env } })

const noPlace = { BACKUP_SEAL: 'off' as const, BACKUP_S3_REGION: 'auto' }
async function until(isTrue: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !isTrue(); await wait(5)) if (Date.now() > end) throw new Error('waited in vain')
}

t.test('a snapshot is one moment of a database that goes on being written to, and ends with who asked for it', async t => {
  let written = 0
  const over = new AbortController()
  const writing = (async () => { while (!over.signal.aborted) {
      await note(written++)
      // The embedded database answers before anything else of this process has its turn.
      await wait(0)
    }
  })()
  await until(() => written >= 50)
  const known = written, snapshot = (await askSnapshot(dataDir))!
  t.equal(statSync(join(dataDir, 'operator')).mode & 0o077, 0, 'nobody else may enter')
  const copy = await openDb({ dataDir: snapshot.dataDir })
  const { rows: [found] } = await sql<{ n: number; last: number }>`select count(*)::int as n, max(value)::int as last from test_events where detail like 'note %'`.execute(copy.kysely)
  await copy.close()
  over.abort()
  await writing
  t.ok(found!.n >= known, `${found!.n} of ${known} that were acknowledged before`)
  t.equal(found!.last, found!.n - 1, 'without a gap')
  t.ok(written > found!.n, 'and it was written to meanwhile')
  snapshot.release()
  for (let n = 0; existsSync(snapshot.dataDir) && n < 200; n++) await wait(20)
  t.notOk(existsSync(snapshot.dataDir))
  const status = await new Promise<number>(resolve => { request({ socketPath: join(dataDir, 'operator/socket'), path: '/' }, answer => { answer.resume(); resolve(answer.statusCode!) }).end() })
  t.equal(status, 404)
  t.equal(await askSnapshot(join(folder, 'nowhere')), null, 'where nothing runs there is nobody to ask')
})

t.test('npm run backup beside the running program, sealed; what is restored has every script published again', async t => {
  const file = join(folder, 'a.backup'), other = join(folder, 'restored'), secrets = { SECRETS: 'another-secret-of-2027, the-secret-of-the-backup', BACKUP_SEAL: 'on' }
  const { stdout } = await command('backup', [file], { DATA_DIR: dataDir, SECRETS: 'the-secret-of-the-backup', BACKUP_SEAL: 'on' })
  t.match(stdout, /^\d+ rows written to .*a\.backup while the product runs; its database waited for \d+ ms/)
  t.equal(statSync(file).mode & 0o077, 0)
  t.same(readdirSync(join(dataDir, 'operator')), ['socket'], 'the copy is gone')
  await t.rejects(command('restore', [file], { DATA_DIR: other, SECRETS: 'a-secret-that-is-no-good' }), /not among SECRETS/)
  t.notOk(existsSync(other), 'nothing is made for it')
  t.match((await command('restore', [file], { DATA_DIR: other, ...secrets })).stdout, /rows restored/)
  const restored = await openDb({ dataDir: other })
  const [here, there] = await Promise.all([db, restored].map(async each => (await sql`select test_id, detail, value from test_events order by seq`.execute(each.kysely)).rows))
  const { wanted, published } = await restored.kysely.selectFrom('published_scripts').select(['wanted', 'published']).executeTakeFirstOrThrow()
  await restored.close()
  t.same(there, here)
  t.ok(wanted > published)
  const changed = readFileSync(file)
  changed[changed.length - 5]! ^= 1
  writeFileSync(file, changed)
  await t.rejects(command('restore', [file], { DATA_DIR: join(folder, 'changed'), ...secrets }), /changed or is not whole/)
  const forged = join(folder, 'forged.backup.sealed')
  await command('backup', [forged], { DATA_DIR: dataDir, BACKUP_SEAL: 'off' })
  await t.rejects(command('restore', [forged], { DATA_DIR: join(folder, 'forged'), ...secrets }), /not sealed, though BACKUP_SEAL is on/)
  t.notOk(existsSync(join(folder, 'forged')), 'what is not sealed is not taken where sealed ones are made')
})

t.test('two that write the same file are not in each other’s way', async t => {
  const file = join(folder, 'same.gz'), begun = Promise.withResolvers<void>(), end = Promise.withResolvers<void>()
  const first = keepFile(file, async to => { to.write('first, '); begun.resolve(); await end.promise; to.end('whole') })
  await begun.promise
  await keepFile(file, async to => { to.end('second') })
  t.equal(readFileSync(file, 'utf8'), 'second')
  end.resolve()
  await first
  t.equal(readFileSync(file, 'utf8'), 'first, whole')
  t.same(readdirSync(folder).filter(name => name.endsWith('.part')), [])
})

t.test('where there can be no socket the product starts all the same', async t => {
  const file = join(folder, 'no-folder'), told: unknown[] = []
  writeFileSync(file, '')
  const log = { ...quietLog, warn: (...said: unknown[]) => { told.push(said) } } as typeof quietLog
  const none = await operatorSocket({ pglite: db.pglite!, dataDir: file, log })
  t.match(told, [[{ err: Error }, /no operator socket/]])
  await none.close()
})

t.test('an asker who leaves during the copying leaves nothing behind, and without room none is made', async t => {
  const asked = request({ socketPath: join(dataDir, 'operator/socket'), method: 'POST', path: '/snapshot' })
  asked.on('error', () => {})
  asked.end()
  const folderOf = () => readdirSync(join(dataDir, 'operator')).filter(name => name.startsWith('snapshot-'))
  await until(() => folderOf().length > 0)
  asked.destroy()
  await until(() => folderOf().length === 0)
  // A file of a petabyte that takes no room itself.
  const vast = join(dataDir, 'pg/vast')
  closeSync(openSync(vast, 'w'))
  truncateSync(vast, 2 ** 43)
  await t.rejects(askSnapshot(dataDir), /no room for a copy of the database: \d+ MB/)
  rmSync(vast)
  t.same(folderOf(), [])
})

/** Day after day a backup, made by hand: the newest stays, old ones go, what others put there stays, and failures are told. */
async function daysAt(t: Test, place: BackupPlace, made: (name: string, at: number) => void) {
  const hour = 3_600_000, now = { at: Math.floor(Date.now() / 1000) * 1000 }, told: unknown[] = []
  let fails = false
  const log = { ...quietLog, error: (...said: unknown[]) => { told.push(said) } } as typeof quietLog
  const make = async () => {
    if (fails) throw new Error('The disk is full.')
    const name = backupName(new Date(now.at), { BACKUP_SEAL: 'off' })
    await place.keep(name, async to => { to.end('all of it') })
    made(name, now.at)
  }
  // Its own clock tells when a storage took a file.
  const dated: BackupPlace = { ...place, list: async () => (await place.list()).map(({ name }) => ({ name, at: Date.parse(`${name.slice(10, 23)}:${name.slice(23, 25)}:${name.slice(25, 27)}Z`) })) }
  const schedule = backupSchedule({ place: dated, hours: 24, days: 3, log, clock: () => new Date(now.at), make })
  t.same(schedule.state(), { newestAt: null, problem: null })
  await schedule.look()
  await schedule.look()
  t.equal((await place.list()).length, 1, 'not before the next is due')
  for (let n = 0; n < 5; n++) {
    now.at += 24 * hour
    await schedule.look()
  }
  t.equal((await place.list()).length, 4, 'those of three days, and the newest')
  t.equal(schedule.state().problem, null)
  fails = true
  now.at += 30 * 24 * hour
  t.match(schedule.state().problem, /No backup was made for more than 48 hours/)
  await schedule.look()
  t.equal(told.length, 1)
  t.equal(schedule.state().problem, 'The disk is full.')
  t.equal((await place.list()).length, 4, 'none goes where none comes')
  t.equal(Math.round((now.at - schedule.state().newestAt!.getTime()) / hour), 30 * 24)
  await schedule.stop()
}

t.test('on a schedule in a folder: what was left half done goes a day later, and one that is lost is told', async t => {
  const to = join(folder, 'kept'), place = backupPlace({ ...noPlace, BACKUP_DIR: to })!
  mkdirSync(to)
  const part = (name: string, age: number) => { writeFileSync(join(to, name), 'half'); utimesSync(join(to, name), Date.now() / 1000 - age, Date.now() / 1000 - age) }
  part('twinshelf-2026-01-01T000000.backup.gz.0a1b2c3d.part', 90_000)
  part('twinshelf-2026-01-02T000000.backup.gz.0a1b2c3d.part', 60)
  writeFileSync(join(to, 'of-the-operators-own.gz'), 'theirs')
  await daysAt(t, place, name => t.equal(statSync(join(to, name)).mode & 0o077, 0))
  t.same(readdirSync(to).filter(name => !name.endsWith('backup.gz')).sort(), ['of-the-operators-own.gz', 'twinshelf-2026-01-02T000000.backup.gz.0a1b2c3d.part'])
  const lost = join(folder, 'a-file')
  writeFileSync(lost, '')
  const schedule = backupSchedule({ place: backupPlace({ ...noPlace, BACKUP_DIR: lost })!, hours: 24, days: 3, log: quietLog })
  await schedule.look()
  t.match(schedule.state(), { newestAt: null, problem: /a-file/ })
  await schedule.stop()
})

t.test('in a bucket: kept, listed, deleted, and restored from, in parts and sealed; a wrong key is told', async t => {
  const own = { BACKUP_S3_URL: `http://127.0.0.1:${await freePort()}/kept`, BACKUP_S3_REGION: 'us-east-1', BACKUP_S3_KEY: 'S3RVER', BACKUP_S3_SECRET: 'S3RVER' }
  const storage = new S3rver({ port: Number(new URL(own.BACKUP_S3_URL).port), address: '127.0.0.1', silent: true, directory: join(folder, 's3'), configureBuckets: [{ name: 'kept', configs: [] }] })
  await storage.run()
  t.teardown(() => storage.close())
  const place = backupPlace({ ...noPlace, ...own })!
  await daysAt(t, place, () => {})
  for (const { name } of await place.list()) await place.remove(name)

  const large = randomBytes(40 * 1024 * 1024), name = backupName(new Date(), { BACKUP_SEAL: 'on' })
  const parts: (number | null)[] = []
  // Some storages (R2) take no upload whose parts but the last differ in size.
  const hear = (said: unknown) => {
    const { request } = said as { request: { path: string; contentLength: number | null } }
    if (request.path.includes('partNumber=')) parts.push(request.contentLength)
  }
  subscribe('undici:request:create', hear)
  await place.keep(name, to => pipeline(Readable.from([large.subarray(0, 7), large.subarray(7, 20_000_000), large.subarray(20_000_000)], { objectMode: false }), to))
  unsubscribe('undici:request:create', hear)
  t.same(parts, [16 << 20, 16 << 20, 8 << 20])
  // A restore reads as slowly as the database takes rows.
  const timeout = 2_000, slowly = (await backupPlace({ ...noPlace, ...own }, timeout)!.read(name))[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const read = [(await slowly.next()).value as Buffer]
  await once(AbortSignal.timeout(timeout + 500), 'abort')
  for (let next = await slowly.next(); !next.done; next = await slowly.next()) read.push(next.value)
  t.ok(Buffer.concat(read).equals(large), 'whole')
  await place.remove(name)
  await t.rejects(place.keep(name, async () => { throw new Error('The database is away.') }), /database is away/)
  t.same(await place.list(), [], 'half of one is none')

  const secrets = { SECRETS: 'the-secret-of-the-backup', BACKUP_SEAL: 'on', ...own }
  const { stdout } = await command('backup', [], { DATA_DIR: dataDir, ...secrets })
  const kept = /written to (twinshelf-\S+\.backup\.sealed) in http/.exec(stdout)![1]!
  await t.rejects(command('restore', [], { DATA_DIR: join(folder, 'nothing'), ...secrets }), new RegExp(`are:\\s+${kept}`), 'it says what there is')
  t.match((await command('restore', [kept], { DATA_DIR: join(folder, 'from-bucket'), ...secrets })).stdout, /rows restored/)
  await t.rejects(command('backup', [], { DATA_DIR: dataDir, ...secrets, BACKUP_S3_KEY: 'another' }), /403|InvalidAccessKeyId/)
  await t.rejects(command('backup', [], { DATA_DIR: dataDir, ...secrets, BACKUP_DIR: folder }), /BACKUP_DIR or BACKUP_S3_URL, not both/)
  await t.rejects(command('backup', [], { DATA_DIR: dataDir, ...secrets, BACKUP_S3_KEY: '' }), /needs BACKUP_S3_KEY/)
})
