import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { writeBackup } from '../engine/backup.ts'
import { engineConfig } from '../engine/config.ts'
import { openDb } from '../engine/db/connection.ts'

/** npm run backup -- [file]: all data in one gzipped file. On PGlite the product must be stopped first; on Postgres it may run. */
const file = process.argv[2] ?? `twinshelf-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.backup.gz`
try {
  const { DATA_DIR, DATABASE_URL } = engineConfig(process.env)
  const db = await openDb({ dataDir: DATA_DIR, databaseUrl: DATABASE_URL })
  try {
    const rows = await writeBackup(db, createWriteStream(`${file}.part`, { mode: 0o600 }))
    renameSync(`${file}.part`, file)
    console.log(`${rows} rows written to ${file}`)
  } finally {
    rmSync(`${file}.part`, { force: true })
    await db.close()
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
