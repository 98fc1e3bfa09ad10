import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { PassThrough, Readable } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { restoreBackup, writeBackup } from '../../../engine/operators/backup.ts'
import type { Db } from '../../../engine/db/connection.ts'
import { isMigrated } from '../../../engine/db/migrate.ts'
import { emptyDb, freshDb } from '../support/harness.ts'
import { seedStore, seedTest } from '../support/seeds.ts'

async function opened(t: Test, open: () => Promise<Db>): Promise<Db> {
  const db = await open()
  t.teardown(() => db.close())
  return db
}
async function backupOf(db: Db): Promise<{ rows: number; bytes: Buffer }> {
  const out = new PassThrough(),
    parts: Buffer[] = []
  out.on('data', (part: Buffer) => parts.push(part))
  const rows = await writeBackup(db, out)
  return { rows, bytes: Buffer.concat(parts) }
}
const text = (bytes: Buffer) => gunzipSync(bytes).toString()

const source = await freshDb()
t.teardown(() => source.close())
const store = await seedStore(source, { name: 'Fern’s "Kiln" \u2028 <b>\\' })
const test = await seedTest(source, store, {
  weights: '[0.3333,0.6667]',
  minimum_effect: 0.1 + 0.2,
  start_at: new Date('2026-11-01T00:00:00.123Z'),
})
await seedTest(source, store, { ended_at: new Date('2026-11-20T00:00:00Z') })
await source.kysely
  .insertInto('published_scripts')
  .values({
    store_id: store,
    wanted: 2,
    next_attempt_at: new Date(),
    body: Buffer.from([0, 255, 10, 92]),
  })
  .execute()
// More rows than one fetch of the cursor reads.
await source.kysely
  .insertInto('test_events')
  .values(
    Array.from({ length: 1_203 }, (_, i) => ({
      store_id: store,
      test_id: test,
      kind: 'Modified' as const,
      at: new Date(),
      detail: `change ${i} ${'€'.repeat(i % 40)}`,
      value: i / 7,
      mark: null,
    })),
  )
  .execute()
const backup = await backupOf(source)

t.test('a restored database gives the same backup, to the byte', async t => {
  const db = await opened(t, emptyDb)
  t.equal(await restoreBackup(db, Readable.from(backup.bytes)), backup.rows)
  // Except these columns: scripts must be published again, and old sessions are invalid.
  const plain = (bytes: Buffer) =>
    text(bytes).replace(/"(wanted|published|next_attempt_at|session_number)": [^,}]+/g, '')
  t.equal(plain((await backupOf(db)).bytes), plain(backup.bytes))
  t.equal(await isMigrated(db), true)
  const row = await db.kysely.selectFrom('published_scripts').selectAll().executeTakeFirstOrThrow()
  t.same([...row.body!], [0, 255, 10, 92])
  t.match(
    await db.kysely.selectFrom('stores').select('session_number').executeTakeFirst(),
    { session_number: 1_000 },
    'tokens from before the restore are invalid',
  )
  for (const table of [
    'refresh_tokens',
    'download_links',
    'staff_sessions',
    'staff_links',
  ] as const)
    t.equal((await db.kysely.selectFrom(table).selectAll().execute()).length, 0, table)
  t.same(
    row.leased_until,
    (
      await source.kysely
        .selectFrom('published_scripts')
        .select('leased_until')
        .executeTakeFirstOrThrow()
    ).leased_until,
  )
})

t.test('a restored database continues its sequences', async t => {
  const db = await opened(t, emptyDb)
  await restoreBackup(db, Readable.from(backup.bytes))
  const { seq } = await db.kysely
    .insertInto('test_events')
    .values({
      store_id: store,
      test_id: test,
      kind: 'Paused',
      at: new Date(),
      detail: null,
      value: null,
      mark: null,
    })
    .returning('seq')
    .executeTakeFirstOrThrow()
  t.equal(seq, 1_204)
})

t.test('a database that was never used has nothing to back up', async t => {
  const db = await opened(t, emptyDb)
  await t.rejects(backupOf(db), /nothing here to back up/)
})

t.test('a database that is not empty is not restored into', async t => {
  const db = await opened(t, freshDb)
  await t.rejects(restoreBackup(db, Readable.from(backup.bytes)), /not empty/)
  t.equal((await db.kysely.selectFrom('stores').select('store_id').execute()).length, 0)
})

t.test('an incomplete or foreign file changes nothing', async t => {
  const whole = text(backup.bytes),
    lines = whole.split('\n')
  const bad: Record<string, Buffer> = {
    'cut in the gzip': backup.bytes.subarray(0, backup.bytes.length - 200),
    'cut in the lines': gzipSync(lines.slice(0, -20).join('\n')),
    'a row lost': gzipSync(
      lines
        .toSpliced(
          lines.findLastIndex(line => line.startsWith('{"row"')),
          1,
        )
        .join('\n'),
    ),
    'not gzip': Buffer.from(whole),
    'something else': gzipSync('hello'),
    empty: gzipSync(''),
    'a newer version': gzipSync(whole.replace('"0001-core"', '"0001-core","9999-later"')),
    'an unknown table': gzipSync(whole.replace('{"table":"stores"}', '{"table":"pg_authid"}')),
  }
  const db = await opened(t, emptyDb)
  for (const [name, bytes] of Object.entries(bad)) {
    await t.rejects(restoreBackup(db, Readable.from(bytes)), Error, name)
    const { rows } =
      await sql`select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind = 'r'`.execute(
        db.kysely,
      )
    t.equal(rows.length, 0, `${name}: no table was created`)
  }
  t.equal(
    await restoreBackup(db, Readable.from(backup.bytes)),
    backup.rows,
    'the complete file can still be restored',
  )
})

t.test(
  'the commands on Postgres with sealing: an altered, truncated or differently sealed file changes nothing',
  {
    skip: source.pool ? false : 'backup-online.test.ts tests the commands on the embedded database',
  },
  async t => {
    const db = await opened(t, emptyDb),
      file = join(t.testdir(), 'a.backup.sealed'),
      altered = `${file}.altered`,
      short = `${file}.short`
    const urlOf = ({ pool }: Db) => pool!.options.connectionString!
    const command = (script: string, from: string, on: Db, SECRETS: string) =>
      promisify(execFile)(process.execPath, ['--liftoff-only', `scripts/${script}.ts`, from], {
        env: { ...process.env, DATABASE_URL: urlOf(on), BACKUP_SEAL: 'on', SECRETS },
      })
    t.match(
      (await command('backup', file, source, 'the-secret-of-the-backup')).stdout,
      new RegExp(`^${backup.rows} rows written`),
    )
    const bytes = readFileSync(file)
    bytes[bytes.length - 100]! ^= 1
    writeFileSync(altered, bytes)
    copyFileSync(file, short)
    truncateSync(short, bytes.length - 1)
    await t.rejects(command('restore', file, db, 'the-secret-of-another'), /not among SECRETS/)
    for (const each of [altered, short])
      await t.rejects(
        command('restore', each, db, 'the-secret-of-the-backup'),
        /changed or is not whole/,
      )
    const { rows } =
      await sql`select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and c.relkind = 'r'`.execute(
        db.kysely,
      )
    t.equal(rows.length, 0, 'no table was created')
    t.match(
      (await command('restore', file, db, 'a-newer-secret-for-all, the-secret-of-the-backup'))
        .stdout,
      new RegExp(`^${backup.rows} rows restored`),
    )
    const { wanted, published } = await db.kysely
      .selectFrom('published_scripts')
      .select(['wanted', 'published'])
      .executeTakeFirstOrThrow()
    t.ok(wanted > published, 'every script is published again')
  },
)
