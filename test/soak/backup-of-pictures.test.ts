import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { restoreBackup, writeBackup } from '../../engine/operators/backup.ts'
import { emptyDb, freshDb } from '../engine/support/harness.ts'
import { seedStore } from '../engine/support/seeds.ts'

const pictures = 40

t.test('a backup with more pictures than Postgres allows in one list is restored', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-backup-')),
    file = join(folder, 'pictures.gz')
  t.teardown(() => rmSync(folder, { recursive: true }))
  const [source, target] = [await freshDb(), await emptyDb()]
  t.teardown(() => Promise.all([source.close(), target.close()]))
  const store = await seedStore(source)
  await sql`insert into pictures (store_id, name, type, body, bytes, created_at)
    select ${store}, n || '.png', 'image/png', convert_to(repeat(md5(n::text), 163840), 'UTF8'), 5242880, now() from generate_series(1, ${pictures}::int) n`.execute(
    source.kysely,
  )
  await writeBackup(source, createWriteStream(file))
  await restoreBackup(target, createReadStream(file))
  const { rows } = await sql<{ right: number }>`
    select count(*) filter (where md5(body) = md5(repeat(md5(split_part(name, '.', 1)), 163840)))::int as right from pictures`.execute(
    target.kysely,
  )
  t.same(rows, [{ right: pictures }])
})
