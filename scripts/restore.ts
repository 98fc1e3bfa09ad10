import { createReadStream, existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { restoreBackup } from '../engine/operators/backup.ts'
import { backupPlace } from '../engine/operators/backup-places.ts'
import { opened } from '../engine/operators/backup-seal.ts'
import { engineConfig } from '../engine/config.ts'
import { openDb } from '../engine/db/connection.ts'
import { keyRing, keysFor } from '../engine/session/key-ring.ts'
import { endFirstRun } from '../server/first-run.ts'

/**
 * npm run restore -- <file>: fills an empty database (a new DATA_DIR, or an empty one at
 * DATABASE_URL) from a backup, all or nothing. A name that is not a file is looked up in the
 * configured place of backups.
 */
try {
  const [, , file] = process.argv,
    config = engineConfig(process.env)
  const bytes = await backupOf(file, config),
    backup = await opened(bytes, keysFor(keyRing(config), 'backups'), {
      mustBeSealed: config.BACKUP_SEAL === 'on' || file?.endsWith('.sealed') === true,
    })
  const db = await openDb({ dataDir: config.DATA_DIR, databaseUrl: config.DATABASE_URL })
  try {
    console.log(`${await restoreBackup(db, backup)} rows restored`)
    endFirstRun(config.DATA_DIR)
  } finally {
    bytes.destroy()
    await db.close()
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function backupOf(
  file: string | undefined,
  config: ReturnType<typeof engineConfig>,
): Promise<Readable> {
  if (file && existsSync(file)) return createReadStream(file)
  const place = backupPlace(config),
    kept = place ? await place.list() : []
  if (place && kept.some(({ name }) => name === file)) return place.read(file!)
  throw new Error(
    `Name the backup to restore: npm run restore -- <file>${kept.length > 0 ? `\nIn ${place!.name} are:\n${kept.map(({ name }) => `  ${name}`).join('\n')}` : ''}`,
  )
}
