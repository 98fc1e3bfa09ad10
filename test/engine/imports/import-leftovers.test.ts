import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t from 'tap'
import { sql } from 'kysely'
import { type Db, openDb } from '../../../engine/db/connection.ts'
import { newStage, stage } from '../../../engine/imports/imports-stage.ts'
import { reclaim } from '../../../engine/stores/shoppers/retention.ts'

t.test('rows of an import whose process was killed are deleted by the daily cleanup', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'ts-import-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const before = await openDb({ dataDir: join(folder, 'before') })
  t.teardown(() => before.close())
  const file = 'visitor,arm,time,event\nanna,0,2026-11-01T10:00:00Z,exposure\n'
  const read = { currency: 'USD', timeZone: 'UTC', now: Date.parse('2026-11-20T12:00:00Z') }
  await stage(newStage(before.kysely, 500), Readable.from([file]), read, () => {})
  await sql`checkpoint`.execute(before.kysely)

  // Copy the files as a process that is killed now leaves them.
  mkdirSync(join(folder, 'after'))
  cpSync(join(folder, 'before', 'pg'), join(folder, 'after', 'pg'), { recursive: true })
  const after = await openDb({ dataDir: join(folder, 'after') })
  t.teardown(() => after.close())
  t.equal((await stagesOf(after)).length, 1)
  await reclaim(after)
  t.same(await stagesOf(after), [])

  await reclaim(before)
  t.equal((await stagesOf(before)).length, 1, 'rows of a running import stay')
})

const stagesOf = async ({ kysely }: Db) =>
  (
    await sql`select relname from pg_class where relname like 'import_rows%' and relkind = 'r'`.execute(
      kysely,
    )
  ).rows
