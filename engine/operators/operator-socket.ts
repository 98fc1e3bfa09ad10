import { constants, mkdirSync, rmSync } from 'node:fs'
import { cp, readdir, stat, statfs } from 'node:fs/promises'
import { createServer, request, type IncomingMessage } from 'node:http'
import { join, relative } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import type { FastifyBaseLogger } from 'fastify'

// The operator's way in while the program runs on the embedded database, which no second process may open: a socket in the
// data folder, in a folder that its owner alone may enter. So only those who may read the data may ask here.
const folderIn = (dataDir: string): string => join(dataDir, 'operator')
/** A socket's path may have some hundred characters, whichever way it is written. */
function socketIn(dataDir: string): string | null {
  const path = join(folderIn(dataDir), 'socket'),
    short = relative(process.cwd(), path)
  return [path, short].find(each => Buffer.byteLength(each) < 104) ?? null
}

/** A copy of the database's files that lasts until `release`. `held` is for how many milliseconds statements waited. */
export type Snapshot = { dataDir: string; held: number; release: () => void }

/** Answers snapshots to operators until it is closed. Where there can be no socket, a warning says so, and nothing else. */
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
    // What a process that was killed has left; the data folder is locked, so nobody else is at it.
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
    // It lasts as long as the asker stays connected. If they leave during the copying, it is removed after that.
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
  // Some file systems hold no sockets; and one that cannot take a connection in (no descriptors) must not end the program.
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
 * Copies the files as one moment has them, as a power cut would leave them. Opening the copy
 * replays the log, as after a crash. Statements wait during the copying; the checkpoint before it keeps the log short.
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

/** Throws where the disk has no room for a copy of this folder, and for as much again as its log may grow meanwhile. */
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

/** Asks the program that has this data folder; null when none runs there. */
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
  // The answer continues until we leave.
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
