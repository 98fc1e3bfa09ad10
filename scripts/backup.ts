import { PassThrough, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { writeBackup } from '../engine/operators/backup.ts'
import { backupName, backupPlace, keepFile } from '../engine/operators/backup-places.ts'
import { sealing } from '../engine/operators/backup-seal.ts'
import { engineConfig } from '../engine/config.ts'
import { openDb } from '../engine/db/connection.ts'
import { keyRing, keysFor } from '../engine/session/key-ring.ts'
import { askSnapshot } from '../engine/operators/operator-socket.ts'

/**
 * npm run backup -- [file]: writes all data into one compressed file, encrypted with
 * BACKUP_SEAL=on. Without a file, it goes to the configured place of backups, or to this folder.
 * The product may run.
 */
try {
  const config = engineConfig(process.env),
    { DATA_DIR, DATABASE_URL } = config
  const [, , file] = process.argv,
    name = backupName(new Date(), config),
    place = file ? null : backupPlace(config)
  // Only one program can open PGlite's files, so the running product makes a copy for us.
  const snapshot = DATABASE_URL ? null : await askSnapshot(DATA_DIR)
  try {
    const db = await openDb({ dataDir: snapshot?.dataDir ?? DATA_DIR, databaseUrl: DATABASE_URL })
    try {
      let rows = 0
      const fill = async (to: Writable) => {
        const through =
          config.BACKUP_SEAL === 'on'
            ? sealing(keysFor(keyRing(config), 'backups')[0])
            : new PassThrough()
        // When writing fails, reading ends, and the other way round.
        const written = pipeline(through, to)
        const read = writeBackup(db, through).then(
          count => {
            rows = count
          },
          (error: unknown) => {
            through.destroy(error as Error)
            throw error
          },
        )
        await Promise.all([written, read])
      }
      if (place) await place.keep(name, fill)
      else await keepFile(file ?? name, fill)
      console.log(
        `${rows} rows written to ${place ? `${name} in ${place.name}` : (file ?? name)}${snapshot ? ` while the product runs; its database waited for ${snapshot.held} ms` : ''}`,
      )
    } finally {
      await db.close()
    }
  } finally {
    snapshot?.release()
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
