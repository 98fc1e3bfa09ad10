import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { LockHeld, takeLock } from '../../engine/db/lock.ts'
import { migrations } from '../../engine/db/migrations/index.ts'

const cache = 'node_modules/.cache/twinshelf'

/**
 * Copies a migrated database without a store into a data folder, as the product's first start
 * leaves it. Making one takes two thirds of a start. The first caller makes it by `start`, which
 * starts the product on a data folder and stops it again. The copy is used until the migrations
 * change. The shop's own data is not in it.
 */
export async function copyPreparedDatabase(
  dataDir: string,
  start: (dataDir: string) => Promise<void>,
): Promise<void> {
  mkdirSync(cache, { recursive: true })
  // Workers start at the same time, so only one may make the copy. The operating system releases
  // the lock when its process ends.
  const { release } = await lock()
  try {
    const { version } = JSON.parse(
      readFileSync('node_modules/@electric-sql/pglite/package.json', 'utf8'),
    ) as { version: string }
    const name = `product-${createHash('sha256')
        .update(version + JSON.stringify(migrations))
        .digest('hex')
        .slice(0, 16)}`,
      prepared = join(cache, name)
    if (!existsSync(prepared)) {
      for (const older of readdirSync(cache).filter(name => name.startsWith('product-')))
        rmSync(join(cache, older), { recursive: true })
      const unfinished = join(cache, 'product-unfinished')
      await start(unfinished)
      renameSync(join(unfinished, 'pg'), prepared)
      rmSync(unfinished, { recursive: true })
    }
    cpSync(prepared, join(dataDir, 'pg'), { recursive: true })
  } finally {
    release()
  }
}

async function lock(): Promise<{ release: () => void }> {
  for (;;) {
    try {
      return takeLock(cache)
    } catch (error) {
      if (!(error instanceof LockHeld)) throw error
      await setTimeout(50)
    }
  }
}
