import { closeSync, fsyncSync, openSync, readdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** What PGlite's file system says of an open file: a folder has no descriptor of its own. */
type Stream = { nfd?: number; node: object }
type Files = {
  stream_ops: { fsync?: (stream: Stream) => number }
  realPath: (node: object) => string
}

/**
 * PGlite's files in a folder, with syncs that reach the disk: its own file system answers a sync without making one, so
 * that a power cut could take transactions that were acknowledged. Use with `syncingParams`.
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
 * Ends the process where the disk does not take what was written, as Postgres itself does: what the system still holds of
 * it may be gone, so nothing may build on it. The next start begins with what is on the disk.
 */
function syncOf({ realPath }: Files, { nfd, node }: Stream): number {
  try {
    if (nfd !== undefined) fsyncSync(nfd)
    else syncPath(realPath(node))
    return 0
  } catch (error) {
    writeSync(
      2,
      `The disk did not take the database's data: ${String(error)}. Stopped, so that nothing more is acknowledged. Check the disk, then start again.\n`,
    )
    process.exit(1)
  }
}

/** All files that a new database begins with: PGlite makes them without a sync. */
export function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) syncTree(path)
    else if (entry.isFile()) syncPath(path)
  }
  syncPath(folder)
}

/** Of a folder too: a file that was made or renamed is there for certain once its folder is synced. */
function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** PGlite's own, without the one (-F) that tells Postgres to make no syncs at all, and with the only way of syncing the log that its libc does not answer by doing nothing. */
export const syncingParams: string[] = [
  ...PGlite.defaultStartParams.filter(parameter => parameter !== '-F'),
  '-c',
  'wal_sync_method=fsync',
]
