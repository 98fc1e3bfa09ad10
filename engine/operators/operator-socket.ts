import { constants, mkdirSync, rmSync } from 'node:fs'
import { cp, readdir, stat, statfs } from 'node:fs/promises'
import { createServer, request, type IncomingMessage } from 'node:http'
import { join, relative } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import type { FastifyBaseLogger } from 'fastify'

// Lets operators make snapshots while the engine runs on PGlite, which no second process may open.
// It is a socket in the data folder, in a folder that only its owner may enter. So only users who
// may read the data can use it.
const folderIn = (dataDir: string): string => join(dataDir, 'operator')
/**
 * Returns a path that is short enough for a socket (about a hundred bytes), absolute or relative;
 * null when neither is.
 */
function socketIn(dataDir: string): string | null {
  const path = join(folderIn(dataDir), 'socket'),
    short = relative(process.cwd(), path)
  return [path, short].find(each => Buffer.byteLength(each) < 104) ?? null
}

/**
 * A copy of the database's files that exists until `release`. `held`: milliseconds for which
 * statements had to wait.
 */
export type Snapshot = { dataDir: string; held: number; release: () => void }

/**
 * Serves snapshots to operators until it is closed. When no socket is possible, it only logs a
 * warning.
 */
export async function operatorSocket({
  pglite,
  dataDir,
  log,
}: {
  pglite: PGlite
  dataDir: string
  log: FastifyBaseLogger
}): Promise<{ close: () => Promise<void> }> {
  const folder = folderIn(dataDir),
    path = socketIn(dataDir)
  const without = (err?: unknown) => {
    log.warn({ err }, 'no operator socket: backups need the program to be stopped')
    return { close: async () => {} }
  }
  try {
    // Remove the rest of a killed process. The data folder is locked, so no other process uses
    // this.
    rmSync(folder, { recursive: true, force: true })
    if (process.platform === 'win32' || !path) return without()
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    return without(error)
  }
  let made = 0
  const server = createServer((asked, answer) => {
    if (asked.method !== 'POST' || asked.url !== '/snapshot') return answer.writeHead(404).end()
    const own = join(folder, `snapshot-${made++}`)
    // The snapshot exists while the client is connected. If the client disconnects during the
    // copying, it is removed after that.
    let isMade = false
    const drop = () => {
      if (isMade && answer.closed) rmSync(own, { recursive: true, force: true })
    }
    answer.once('close', drop)
    copyOf(pglite, join(dataDir, 'pg'), join(own, 'pg'))
      .finally(() => {
        isMade = true
        drop()
      })
      .then(
        held =>
          answer
            .writeHead(200, { 'content-type': 'application/json' })
            .write(`${JSON.stringify({ dataDir: own, held })}\n`),
        (error: unknown) => {
          log.error({ err: error }, 'no snapshot of the database')
          rmSync(own, { recursive: true, force: true })
          answer.writeHead(500).end(error instanceof Error ? error.message : String(error))
        },
      )
    return undefined
  })
  // Some file systems allow no sockets. And when the socket cannot accept a connection (no file
  // descriptors), the program must not end.
  const refused = await new Promise<unknown>(resolve => {
    server
      .on('error', error => {
        log.warn({ err: error }, 'operator socket')
        resolve(error)
      })
      .listen(path, () => resolve(null))
  })
  if (refused) return without(refused)
  return {
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/**
 * Copies the files in the state of one moment, like a power cut would leave them. Opening the copy
 * replays the log, as after a crash. Statements wait during the copying. The checkpoint before it
 * keeps the log short.
 */
async function copyOf(pglite: PGlite, from: string, to: string): Promise<number> {
  await requireRoom(from)
  await pglite.exec('checkpoint')
  return pglite.runExclusive(async () => {
    const start = performance.now()
    await cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE })
    return Math.round(performance.now() - start)
  })
}

/**
 * Throws when the disk has no room for a copy of this folder, plus a tenth and 64 MB for growth
 * meanwhile.
 */
async function requireRoom(folder: string): Promise<void> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(each =>
    each.isFile(),
  )
  const sizes = await Promise.all(
    files.map(({ parentPath, name }) =>
      stat(join(parentPath, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  const wanted = sizes.reduce((sum, size) => sum + size, 0) * 1.1 + 64 * 1024 * 1024,
    { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < wanted)
    throw new Error(
      `The disk has no room for a copy of the database: ${Math.ceil(wanted / 1e6)} MB are needed.`,
    )
}

/** Asks the running program of this data folder for a snapshot; null when none runs. */
export async function askSnapshot(dataDir: string): Promise<Snapshot | null> {
  const socketPath = socketIn(dataDir)
  if (!socketPath) return null
  const asked = request({ socketPath, method: 'POST', path: '/snapshot' })
  const answer = await new Promise<IncomingMessage | null>((resolve, reject) => {
    asked.once('response', resolve)
    asked.once('error', (error: NodeJS.ErrnoException) =>
      ['ENOENT', 'ECONNREFUSED', 'ENOTSOCK'].includes(error.code ?? '')
        ? resolve(null)
        : reject(error),
    )
    asked.end()
  })
  if (!answer) return null
  // The response stays open until we disconnect.
  const first = await new Promise<string>((resolve, reject) => {
    answer.once('data', (part: Buffer) => resolve(String(part)))
    answer.once('error', reject)
    answer.once('end', () => reject(new Error('The program ended before the snapshot was made.')))
  })
  if (answer.statusCode !== 200) throw new Error(`The program could not make a snapshot: ${first}`)
  return {
    ...(JSON.parse(first) as { dataDir: string; held: number }),
    release: () => answer.destroy(),
  }
}
