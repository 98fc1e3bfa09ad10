import { closeSync, fsyncSync, openSync, readdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** An open file, as PGlite's file system describes it. A folder has no descriptor (`nfd`). */
type Stream = { nfd?: number; node: object }
type Files = {
  stream_ops: { fsync?: (stream: Stream) => number }
  realPath: (node: object) => string
}

/**
 * PGlite's files in a folder, with syncs that reach the disk. PGlite's own file system answers a
 * sync without doing one, so a power cut could lose acknowledged transactions. Use with
 * `syncingParams`.
 */
export class SyncedFiles extends NodeFS {
  override async init(...given: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(...given)
    const sync = (module: { NODEFS?: unknown }): void => {
      ;(module.NODEFS as Files).stream_ops.fsync = stream => syncOf(module.NODEFS as Files, stream)
    }
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        preRun: [...(emscriptenOpts.preRun ?? []), sync as never],
      },
    }
  }
}

/**
 * Syncs one file. Ends the process when the disk refuses the data, as Postgres itself does: the
 * system may have lost it, so nothing may build on it. The next start begins with what is on the
 * disk.
 */
function syncOf({ realPath }: Files, { nfd, node }: Stream): number {
  try {
    if (nfd !== undefined) fsyncSync(nfd)
    else syncPath(realPath(node))
    return 0
  } catch (error) {
    writeSync(
      2,
      `The disk did not store the database's data: ${String(error)}. The program stopped, so that it confirms nothing more. Check the disk, then start again.\n`,
    )
    process.exit(1)
  }
}

/** Syncs all files of a new database: PGlite creates them without a sync. */
export function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) syncTree(path)
    else if (entry.isFile()) syncPath(path)
  }
  syncPath(folder)
}

/** Syncs a file or a folder. A created or renamed file is only safe once its folder is synced. */
function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * PGlite's default parameters with two changes. Without -F, which tells Postgres to make no syncs
 * at all. And with `wal_sync_method=fsync`: PGlite's libc does nothing for the other methods of
 * syncing the log.
 */
export const syncingParams: string[] = [
  ...PGlite.defaultStartParams.filter(parameter => parameter !== '-F'),
  '-c',
  'wal_sync_method=fsync',
]
