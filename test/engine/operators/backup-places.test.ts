import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import S3rver from 's3rver'
import t, { type Test } from 'tap'
import {
  backupName,
  backupPlace,
  type BackupPlace,
  keepFile,
} from '../../../engine/operators/backup-places.ts'
import { backupSchedule } from '../../../engine/operators/backup-schedule.ts'
import { openDb } from '../../../engine/db/connection.ts'
import { migrate } from '../../../engine/db/migrate.ts'
import { freePort } from '../../ports.ts'
import { quietLog } from '../support/quiet-log.ts'
import { seedStore } from '../support/seeds.ts'

const folder = mkdtempSync(join(tmpdir(), 'ts-backups-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const command = (script: string, args: string[], env: Record<string, string>) =>
  promisify(execFile)(process.execPath, ['--liftoff-only', `scripts/${script}.ts`, ...args], {
    env: { ...process.env, DATABASE_URL: '', ...env },
  })
const noPlace = { BACKUP_SEAL: 'off' as const, BACKUP_S3_REGION: 'auto' }

t.test('two writers of the same file do not disturb each other', async t => {
  const file = join(folder, 'same.gz'),
    begun = Promise.withResolvers<void>(),
    end = Promise.withResolvers<void>()
  const first = keepFile(file, async to => {
    to.write('first, ')
    begun.resolve()
    await end.promise
    to.end('whole')
  })
  await begun.promise
  await keepFile(file, async to => {
    to.end('second')
  })
  t.equal(readFileSync(file, 'utf8'), 'second')
  end.resolve()
  await first
  t.equal(readFileSync(file, 'utf8'), 'first, whole')
  t.same(
    readdirSync(folder).filter(name => name.endsWith('.part')),
    [],
  )
})

/**
 * Runs a schedule for days with a fake backup (`make`): the newest backup stays, old ones are
 * deleted, and failures are reported.
 */
async function daysAt(t: Test, place: BackupPlace, made: (name: string, at: number) => void) {
  const hour = 3_600_000,
    now = { at: Math.floor(Date.now() / 1000) * 1000 },
    told: unknown[] = []
  let fails = false
  const log = {
    ...quietLog,
    error: (...said: unknown[]) => {
      told.push(said)
    },
  } as typeof quietLog
  const make = async () => {
    if (fails) throw new Error('The disk is full.')
    const name = backupName(new Date(now.at), { BACKUP_SEAL: 'off' })
    await place.keep(name, async to => {
      to.end('all of it')
    })
    made(name, now.at)
  }
  // A storage reports times of its own clock, so this takes the times from the file names.
  const dated: BackupPlace = {
    ...place,
    list: async () =>
      (await place.list()).map(({ name }) => ({
        name,
        at: Date.parse(`${name.slice(10, 23)}:${name.slice(23, 25)}:${name.slice(25, 27)}Z`),
      })),
  }
  const schedule = backupSchedule({
    place: dated,
    hours: 24,
    days: 3,
    log,
    clock: () => new Date(now.at),
    make,
  })
  t.same(schedule.state(), { newestAt: null, problem: null })
  await schedule.look()
  await schedule.look()
  t.equal((await place.list()).length, 1, 'no second backup before it is due')
  for (let n = 0; n < 5; n++) {
    now.at += 24 * hour
    await schedule.look()
  }
  t.equal((await place.list()).length, 4, 'the backups of three days, and the newest')
  t.equal(schedule.state().problem, null)
  fails = true
  now.at += 30 * 24 * hour
  t.match(schedule.state().problem, /No backup was made for more than 48 hours/)
  await schedule.look()
  t.equal(told.length, 1)
  t.equal(schedule.state().problem, 'The disk is full.')
  t.equal((await place.list()).length, 4, 'without a new backup no old one is deleted')
  t.equal(Math.round((now.at - schedule.state().newestAt!.getTime()) / hour), 30 * 24)
  await schedule.stop()
}

t.test(
  'in a folder on a schedule: partial files are deleted after a day, and an unusable folder is reported',
  async t => {
    const to = join(folder, 'kept'),
      place = backupPlace({ ...noPlace, BACKUP_DIR: to })!
    mkdirSync(to)
    const part = (name: string, age: number) => {
      writeFileSync(join(to, name), 'half')
      utimesSync(join(to, name), Date.now() / 1000 - age, Date.now() / 1000 - age)
    }
    part('twinshelf-2026-01-01T000000.backup.gz.0a1b2c3d.part', 90_000)
    part('twinshelf-2026-01-02T000000.backup.gz.0a1b2c3d.part', 60)
    writeFileSync(join(to, 'of-the-operators-own.gz'), 'theirs')
    // A complete backup is deleted only after its days, not because of the age of the file.
    const whole = 'twinshelf-2025-12-01T000000.backup.gz'
    part(whole, 90_000)
    await place.keep(whole.replace('-12-01', '-12-02'), async file => {
      file.end('another')
    })
    t.ok(readdirSync(to).includes(whole))
    rmSync(join(to, whole))
    rmSync(join(to, whole.replace('-12-01', '-12-02')))
    part('twinshelf-2026-01-01T000000.backup.gz.0a1b2c3d.part', 90_000)
    await daysAt(t, place, name => t.equal(statSync(join(to, name)).mode & 0o077, 0))
    t.same(
      readdirSync(to)
        .filter(name => !name.endsWith('backup.gz'))
        .sort(),
      ['of-the-operators-own.gz', 'twinshelf-2026-01-02T000000.backup.gz.0a1b2c3d.part'],
    )
    const early = join(folder, 'early'),
      wrong = 'twinshelf-2026-01-01T000000.backup.gz'
    mkdirSync(early)
    writeFileSync(join(early, wrong), 'of a wrong clock')
    utimesSync(join(early, wrong), Date.now() / 1000 + 1e9, Date.now() / 1000 + 1e9)
    let at = Date.now(),
      makes = 0
    const beside = backupSchedule({
      place: backupPlace({ ...noPlace, BACKUP_DIR: early })!,
      hours: 24,
      days: 3,
      log: quietLog,
      clock: () => new Date(at),
      make: async () => {
        makes++
      },
    })
    await beside.look()
    t.equal(makes, 1, 'a date that has not come yet keeps no backup from being made')
    at += 100 * 3_600_000
    t.match(beside.state(), { newestAt: null, problem: /No backup was made for more than 48/ })
    await beside.stop()
    const lost = join(folder, 'a-file')
    writeFileSync(lost, '')
    const schedule = backupSchedule({
      place: backupPlace({ ...noPlace, BACKUP_DIR: lost })!,
      hours: 24,
      days: 3,
      log: quietLog,
    })
    await schedule.look()
    t.match(schedule.state(), { newestAt: null, problem: /a-file/ })
    await schedule.stop()
  },
)

t.test(
  'in a bucket: backups are stored in parts, listed, deleted and restored; a wrong key is reported',
  async t => {
    const own = {
      BACKUP_S3_URL: `http://127.0.0.1:${await freePort()}/kept`,
      BACKUP_S3_REGION: 'us-east-1',
      BACKUP_S3_KEY: 'S3RVER',
      BACKUP_S3_SECRET: 'S3RVER',
    }
    const storage = new S3rver({
      port: Number(new URL(own.BACKUP_S3_URL).port),
      address: '127.0.0.1',
      silent: true,
      directory: join(folder, 's3'),
      configureBuckets: [{ name: 'kept', configs: [] }],
    })
    await storage.run()
    t.teardown(() => storage.close())
    const place = backupPlace({ ...noPlace, ...own })!
    await daysAt(t, place, () => {})
    for (const { name } of await place.list()) await place.remove(name)

    const large = randomBytes(40 * 1024 * 1024),
      name = backupName(new Date(), { BACKUP_SEAL: 'on' })
    const parts: (number | null)[] = []
    // Some storages (R2) refuse an upload unless all parts except the last have the same size.
    const hear = (said: unknown) => {
      const { request } = said as { request: { path: string; contentLength: number | null } }
      if (request.path.includes('partNumber=')) parts.push(request.contentLength)
    }
    subscribe('undici:request:create', hear)
    await place.keep(name, to =>
      pipeline(
        Readable.from(
          [large.subarray(0, 7), large.subarray(7, 20_000_000), large.subarray(20_000_000)],
          { objectMode: false },
        ),
        to,
      ),
    )
    unsubscribe('undici:request:create', hear)
    t.same(parts, [16 << 20, 16 << 20, 8 << 20])
    // A restore reads slowly, because it waits for the database.
    const timeout = 2_000,
      slowly = (await backupPlace({ ...noPlace, ...own }, timeout)!.read(name))[
        Symbol.asyncIterator
      ]() as AsyncIterator<Buffer>
    const read = [(await slowly.next()).value as Buffer]
    await once(AbortSignal.timeout(timeout + 500), 'abort')
    for (let next = await slowly.next(); !next.done; next = await slowly.next())
      read.push(next.value)
    t.ok(Buffer.concat(read).equals(large), 'a slow reader gets the whole file')
    await place.remove(name)
    await t.rejects(
      place.keep(name, async () => {
        throw new Error('The database is away.')
      }),
      /database is away/,
    )
    t.same(await place.list(), [], 'an interrupted backup is not stored')

    const dataDir = join(folder, 'data'),
      db = await openDb({ dataDir })
    await migrate(db)
    await seedStore(db)
    await db.close()
    const secrets = { SECRETS: 'the-secret-of-the-backup', BACKUP_SEAL: 'on', ...own }
    const { stdout } = await command('backup', [], { DATA_DIR: dataDir, ...secrets })
    const kept = /written to (twinshelf-\S+\.backup\.sealed) in http/.exec(stdout)![1]!
    await t.rejects(
      command('restore', [], { DATA_DIR: join(folder, 'nothing'), ...secrets }),
      new RegExp(`are:\\s+${kept}`),
      'without a name the error lists the backups',
    )
    t.match(
      (await command('restore', [kept], { DATA_DIR: join(folder, 'from-bucket'), ...secrets }))
        .stdout,
      /rows restored/,
    )
    await t.rejects(
      command('backup', [], { DATA_DIR: dataDir, ...secrets, BACKUP_S3_KEY: 'another' }),
      /403|InvalidAccessKeyId/,
    )
    await t.rejects(
      command('backup', [], { DATA_DIR: dataDir, ...secrets, BACKUP_DIR: folder }),
      /BACKUP_DIR or BACKUP_S3_URL, not both/,
    )
    await t.rejects(
      command('backup', [], { DATA_DIR: dataDir, ...secrets, BACKUP_S3_KEY: '' }),
      /needs BACKUP_S3_KEY/,
    )
  },
)
