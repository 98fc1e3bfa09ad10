import { PGlite, type PGliteOptions } from '@electric-sql/pglite'
import { EmscriptenBuiltinFilesystem } from '@electric-sql/pglite/basefs'

/** The files of a closed database, each folder before its files. Paths are those inside PGlite. */
export type DatabaseFiles = {
  path: string
  mode: number
  /** Null for a folder. */ bytes: Uint8Array | null
}[]

// The parts of Emscripten's file system in memory that we use. Its types do not have them.
type Node = {
  mode: number
  contents: unknown
  usedBytes: number
  node_ops: { mknod: (parent: Node, name: string, mode: number, device: number) => Node }
}
type Files = {
  isDir: (mode: number) => boolean
  mkdirTree: (path: string, mode: number) => void
  readdir: (path: string) => string[]
  readFile: (path: string) => Uint8Array
  lookupPath: (path: string) => { node: Node }
}
const filesOf = ({ FS }: { FS: unknown }) => FS as Files
const root = '/pglite/data'

/** Closes a database that runs in memory and returns its files. */
export async function closeIntoFiles(pglite: PGlite): Promise<DatabaseFiles> {
  const files = filesOf(pglite.Module),
    found: DatabaseFiles = []
  await pglite.close()
  const walk = (folder: string) => {
    for (const name of files.readdir(folder).filter(name => name !== '.' && name !== '..')) {
      const path = `${folder}/${name}`,
        { mode } = files.lookupPath(path).node
      const isFolder = files.isDir(mode)
      found.push({ path, mode, bytes: isFolder ? null : files.readFile(path) })
      if (isFolder) walk(path)
    }
  }
  walk(root)
  return found
}

/**
 * Opens a database on a copy of these files in memory. This is several times as fast as PGlite's
 * own `loadDataDir`, which unpacks an archive and then recovers the database. It has few buffers,
 * because clearing them takes as long as the rest.
 */
export function openFiles(
  found: DatabaseFiles,
  options: Pick<PGliteOptions, 'parsers'>,
): Promise<PGlite> {
  return PGlite.create({
    ...options,
    fs: new CopiedFiles(found),
    startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=8MB'],
  })
}

class CopiedFiles extends EmscriptenBuiltinFilesystem {
  readonly found: DatabaseFiles

  constructor(found: DatabaseFiles) {
    super('memory')
    this.found = found
  }

  override async init(
    ...[pglite, options]: Parameters<EmscriptenBuiltinFilesystem['init']>
  ): ReturnType<EmscriptenBuiltinFilesystem['init']> {
    const { emscriptenOpts } = await super.init(pglite, options)
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        preRun: [
          ...(emscriptenOpts.preRun ?? []),
          (module: { FS: unknown }) => copyInto(filesOf(module), this.found),
        ],
      },
    }
  }
}

function copyInto(files: Files, found: DatabaseFiles): void {
  files.mkdirTree(root, 0o700)
  const folders = new Map([[root, files.lookupPath(root).node]])
  for (const { path, mode, bytes } of found) {
    const slash = path.lastIndexOf('/'),
      parent = folders.get(path.slice(0, slash))!
    const node = parent.node_ops.mknod(parent, path.slice(slash + 1), mode, 0)
    if (bytes) Object.assign(node, { contents: bytes.slice(), usedBytes: bytes.length })
    else folders.set(path, node)
  }
}
