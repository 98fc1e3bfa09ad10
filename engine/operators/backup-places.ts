import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, renameSync, rmSync, type Stats } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { S3mini } from 's3mini'
import { day } from '../../domain/time-units.ts'
import type { EngineConfig } from '../config.ts'

/**
 * Where backups are stored: a folder, or a bucket of S3-compatible storage. Every method throws
 * when it cannot be reached.
 */
export type BackupPlace = {
  /** A name to show to people. */
  name: string
  /** The files that are named like a backup, oldest first. `at`: milliseconds since 1970. */
  list: () => Promise<{ name: string; at: number }[]>
  /** Stores what `fill` writes. The file gets its name only when it is complete. */
  keep: (name: string, fill: (to: Writable) => Promise<void>) => Promise<void>
  read: (name: string) => Promise<Readable>
  remove: (name: string) => Promise<void>
}

type Config = Pick<
  EngineConfig,
  | 'BACKUP_DIR'
  | 'BACKUP_SEAL'
  | 'BACKUP_S3_URL'
  | 'BACKUP_S3_REGION'
  | 'BACKUP_S3_KEY'
  | 'BACKUP_S3_SECRET'
>

/**
 * The configured place for backups; null when none is configured. Throws a plain message when two
 * places, or half of one, are configured. `timeout`: milliseconds that a storage has for each
 * answer, except when a backup is read.
 */
export function backupPlace(
  { BACKUP_DIR, BACKUP_S3_URL, BACKUP_S3_REGION, BACKUP_S3_KEY, BACKUP_S3_SECRET }: Config,
  timeout = 300_000,
): BackupPlace | null {
  if (!BACKUP_S3_URL) return BACKUP_DIR ? folder(BACKUP_DIR) : null
  if (BACKUP_DIR) throw new Error('Set BACKUP_DIR or BACKUP_S3_URL, not both.')
  if (!BACKUP_S3_KEY || !BACKUP_S3_SECRET)
    throw new Error('BACKUP_S3_URL needs BACKUP_S3_KEY and BACKUP_S3_SECRET.')
  return bucket(
    BACKUP_S3_URL,
    { accessKeyId: BACKUP_S3_KEY, secretAccessKey: BACKUP_S3_SECRET, region: BACKUP_S3_REGION },
    timeout,
  )
}

/** The file name for a backup that is made now. */
export const backupName = (now: Date, { BACKUP_SEAL }: Pick<Config, 'BACKUP_SEAL'>): string =>
  `twinshelf-${now.toISOString().slice(0, 19).replaceAll(':', '')}.backup.${BACKUP_SEAL === 'on' ? 'sealed' : 'gz'}`
const named = /^twinshelf-\d{4}-\d\d-\d\dT\d{6}\.backup\.(gz|sealed)$/
/** Age at which an unfinished file counts as left behind by a dead process. Milliseconds. */
const leftAfter = day

/**
 * Writes a file under a temporary name first, and renames it when it is complete and on the disk.
 * Only its owner may read it. `wx`: in a folder that others can write to, nobody can place a file
 * or a link there beforehand.
 */
export async function keepFile(file: string, fill: (to: Writable) => Promise<void>): Promise<void> {
  const part = `${file}.${randomBytes(4).toString('hex')}.part`,
    to = createWriteStream(part, { mode: 0o600, flags: 'wx', flush: true })
  try {
    await Promise.all([fill(to), finished(to)])
    renameSync(part, file)
  } finally {
    to.destroy()
    rmSync(part, { force: true })
  }
}

function folder(path: string): BackupPlace {
  const files = async (
    isOne: (name: string) => boolean,
  ): Promise<{ name: string; at: number }[]> => {
    // Not recursive: that never ends where folders cannot be made, as in /proc.
    await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    const found = (await readdir(path)).filter(isOne).sort()
    const known = await Promise.all(
      found.map(async name => ({ name, file: await stat(join(path, name)).catch(() => null) })),
    )
    return known
      .filter((each): each is { name: string; file: Stats } => each.file !== null)
      .map(({ name, file }) => ({ name, at: file.mtimeMs }))
  }
  return {
    name: path,
    list: () => files(name => named.test(name)),
    keep: async (name, fill) => {
      for (const left of await files(
        each => named.test(each.replace(/\.[0-9a-f]{8}\.part$/, '')) && each.endsWith('.part'),
      ))
        if (Date.now() - left.at > leftAfter) await rm(join(path, left.name), { force: true })
      await keepFile(join(path, name), fill)
    },
    read: async name => {
      await stat(join(path, basename(name)))
      return createReadStream(join(path, basename(name)))
    },
    remove: name => rm(join(path, name)),
  }
}

/**
 * All parts of an upload except the last have exactly this size. Memory holds this part and the one
 * that is being sent. S3 allows 10,000 parts.
 */
const partBytes = 16 * 1024 * 1024

function bucket(
  endpoint: string,
  keys: { accessKeyId: string; secretAccessKey: string; region: string },
  timeout: number,
): BackupPlace {
  // The timeout includes reading the whole answer, and a restore reads only as fast as the database
  // accepts rows. So reading has no timeout.
  const client = new S3mini({ ...keys, endpoint, requestAbortTimeout: timeout }),
    reader = new S3mini({ ...keys, endpoint })
  return {
    name: endpoint,
    list: async () =>
      ((await client.listObjects('/', 'twinshelf-')) ?? [])
        .filter(({ Key }) => named.test(Key))
        .map(({ Key, LastModified }) => ({ name: Key, at: new Date(LastModified).getTime() }))
        .sort((a, b) => a.at - b.at),
    keep: async (name, fill) => {
      const upload = await client.getMultipartUploadId(name, 'application/octet-stream')
      try {
        const sent: Parameters<typeof client.completeMultipartUpload>[2] = []
        const to = inParts(partBytes, async part => {
          sent.push(await client.uploadPart(name, upload, part, sent.length + 1))
        })
        await Promise.all([fill(to), finished(to)])
        await client.completeMultipartUpload(name, upload, sent)
      } catch (error) {
        // The storage would charge for the parts of an upload that is never completed, without
        // showing them.
        await client.abortMultipartUpload(name, upload).catch(() => {})
        throw error
      }
    },
    read: async name => {
      const answer = await reader.getObjectResponse(name)
      if (!answer?.body) throw new Error(`There is no backup ${name} in ${endpoint}.`)
      return Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0])
    },
    remove: async name => {
      await client.deleteObject(name)
    },
  }
}

/**
 * Sends parts of exactly this size one after the other, and then the rest: some storages (R2)
 * require equal parts.
 */
function inParts(size: number, send: (part: Buffer) => Promise<void>): Writable {
  let held: Buffer[] = [],
    length = 0
  const flush = async () => {
    const all = Buffer.concat(held)
    let at = 0
    for (; all.length - at >= size; at += size) await send(all.subarray(at, at + size))
    held = [all.subarray(at)]
    length = all.length - at
  }
  return new Writable({
    write(chunk: Buffer, _, done) {
      held.push(chunk)
      length += chunk.length
      if (length < size) done()
      else flush().then(() => done(), done)
    },
    final(done) {
      if (length === 0) done()
      else send(Buffer.concat(held)).then(() => done(), done)
    },
  })
}
