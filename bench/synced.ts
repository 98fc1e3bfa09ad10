import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { openDb, pgliteDb } from '../engine/db/connection.ts'
import type { BenchRow } from './row.ts'

const transactions = 300,
  rowsOfBatch = 500

/**
 * Measures the cost of PGlite's transactions waiting for the disk, compared with PGlite's default,
 * which makes no syncs. With one row each, and with batches like the collector's.
 */
export async function syncedBench(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'twinshelf-bench-'))
  try {
    const unsynced = pgliteDb(await PGlite.create({ dataDir: join(folder, 'plain') })),
      synced = await openDb({ dataDir: join(folder, 'synced') })
    const rows: BenchRow[] = []
    for (const size of [1, rowsOfBatch]) {
      const unit = 'transactions/s',
        name = size === 1 ? 'of one row' : `of ${size} rows`,
        against = `PGlite without syncs, ${name}`
      const plain = await perSecond(unsynced.pglite!, size),
        ours = await perSecond(synced.pglite!, size)
      rows.push(
        { name: against, value: Math.round(plain), unit },
        {
          name: `PGlite with syncs, ${name}`,
          value: Math.round(ours),
          unit,
          ratio: ours / plain,
          against,
        },
      )
    }
    await Promise.all([unsynced.close(), synced.close()])
    return rows
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function perSecond(pglite: PGlite, size: number): Promise<number> {
  await pglite.exec(
    'drop table if exists measured; create table measured (id bigint primary key, words text not null)',
  )
  const began = performance.now()
  for (let i = 0; i < transactions; i++)
    await pglite.query(
      "insert into measured select n, 'an event of a visitor to a page of the shop' from generate_series($1::bigint, $2::bigint) as n",
      [i * size, (i + 1) * size - 1],
    )
  return (transactions / (performance.now() - began)) * 1000
}
