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
 * npm run backup -- [file]: all data in one compressed file, sealed with BACKUP_SEAL=on. Without a file it goes to where
 * the configuration keeps backups, or to this folder. The product may run.
 */
try {
  const config = engineConfig(process.env),
    { DATA_DIR, DATABASE_URL } = config
  const [, , file] = process.argv,
    name = backupName(new Date(), config),
    place = file ? null : backupPlace(config)
  // The embedded database is one program's alone: while the product runs, it makes us a copy.
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
        // Where the writing fails first, the reading ends, and the other way round.
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
