import { createReadStream, existsSync } from 'node:fs'
import { restoreBackup } from '../engine/backup.ts'
import { engineConfig } from '../engine/config.ts'
import { openDb } from '../engine/db/connection.ts'

/** npm run restore -- <file>: fills an empty database (a new DATA_DIR, or an empty one at DATABASE_URL) from a backup, all or nothing. */
try {
  const [, , file] = process.argv
  if (!file || !existsSync(file)) throw new Error('Name the backup to restore: npm run restore -- <file>')
  const { DATA_DIR, DATABASE_URL } = engineConfig(process.env)
  const db = await openDb({ dataDir: DATA_DIR, databaseUrl: DATABASE_URL })
  try {
    console.log(`${await restoreBackup(db, createReadStream(file))} rows restored`)
  } finally {
    await db.close()
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
