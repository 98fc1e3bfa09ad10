import { fork } from 'node:child_process'
import { once } from 'node:events'
import fs, { existsSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { openDb } from '../../../engine/db/connection.ts'

/** Every sync that this process asks the system for, by the file it is of. */
const synced: string[] = []
const fsync = fs.fsyncSync
fs.fsyncSync = descriptor => {
  synced.push(
    existsSync('/proc/self/fd') ? readlinkSync(`/proc/self/fd/${descriptor}`) : 'somewhere',
  )
  fsync(descriptor)
}
syncBuiltinESMExports()
const dataDir = mkdtempSync(join(tmpdir(), 'twinshelf-synced-'))
t.teardown(() => {
  fs.fsyncSync = fsync
  syncBuiltinESMExports()
  rmSync(dataDir, { recursive: true })
})
const of = (folder: string): number =>
  synced.filter(
    path => path === 'somewhere' || path.startsWith(join(fs.realpathSync(dataDir), 'pg', folder)),
  ).length
const first = await openDb({ dataDir })
const insert = (id: number) => first.pglite!.query('insert into kept values ($1)', [id])

t.test('the files of a new database are on the disk before it is used', async t => {
  for (const folder of ['base', 'global', 'pg_wal', '']) t.ok(of(folder) > 0, folder)
  t.ok(of('') > 900)
})

t.test(
  'each transaction is on the disk before it is acknowledged, data files at each checkpoint',
  async t => {
    await first.pglite!.exec('create table kept (id int primary key)')
    for (let id = 0; id < 5; id++) {
      const before = of('pg_wal')
      await insert(id)
      t.ok(of('pg_wal') > before, `a sync of the log before insert ${id} is acknowledged`)
    }
    const before = { base: of('base'), control: of('global/pg_control') }
    await first.pglite!.exec('checkpoint')
    t.ok(of('base') > before.base)
    t.ok(of('global/pg_control') > before.control)
  },
)

t.test(
  'where the disk does not take it, the process ends and nothing is acknowledged; what was is there after the next start',
  async t => {
    await first.close()
    const child = fork('test/engine/support/processes/broken-disk.ts', [dataDir], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    let said = ''
    child.stdout!.on('data', chunk => {
      said += String(chunk)
    })
    child.stderr!.on('data', chunk => {
      said += String(chunk)
    })
    const [code] = (await once(child, 'exit')) as [number]
    t.equal(code, 1)
    t.match(said, /acknowledged 5\n[^]*The disk did not store the database's data: Error: EIO/)
    t.notMatch(said, /acknowledged 6/)
    const next = await openDb({ dataDir })
    const { rows } = await next.pglite!.query<{ id: number }>('select id from kept order by id')
    t.same(
      rows.slice(0, 6).map(({ id }) => id),
      [0, 1, 2, 3, 4, 5],
    )
    await next.close()
  },
)
