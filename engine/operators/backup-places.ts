import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, renameSync, rmSync, type Stats } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { S3mini } from 's3mini'
import { day } from '../../domain/time-units.ts'
import type { EngineConfig } from '../config.ts'

/** Where backups are kept: a folder, or a bucket of an S3-compatible storage. Every method fails where it cannot be reached. */
export type BackupPlace = {
  /** For people. */
  name: string
  /** Those that bear the name of a backup, the oldest first. `at`: milliseconds since 1970. */
  list: () => Promise<{ name: string; at: number }[]>
  /** Keeps what `fill` writes. It bears its name only when it is whole. */
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
 * Where the configuration has backups kept; null without one. Throws a sentence where it says two places, or half of one.
 * `timeout`: milliseconds that a storage has for each answer, except when a backup is read.
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

/** The name of a backup that is made now. */
export const backupName = (now: Date, { BACKUP_SEAL }: Pick<Config, 'BACKUP_SEAL'>): string =>
  `twinshelf-${now.toISOString().slice(0, 19).replaceAll(':', '')}.backup.${BACKUP_SEAL === 'on' ? 'sealed' : 'gz'}`
const named = /^twinshelf-\d{4}-\d\d-\d\dT\d{6}\.backup\.(gz|sealed)$/
/** What a process that was ended has left, once it is so old. Milliseconds. */
const leftAfter = day

/**
 * Writes a file under a name of its own first, which it leaves when it is whole and on the disk. Its owner alone may read
 * it. `wx`: in a folder of others nobody can put a file or a link of theirs in the way.
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
    // Not recursive: that never ends where nobody can make folders, as in /proc.
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

/** All but the last part of an upload are exactly so large; it and the one that is sent are what is in memory. S3 takes 10,000. */
const partBytes = 16 * 1024 * 1024

function bucket(
  endpoint: string,
  keys: { accessKeyId: string; secretAccessKey: string; region: string },
  timeout: number,
): BackupPlace {
  // The limit counts until the last byte came, and a restore reads no faster than the database takes rows.
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
        // Parts of an upload that is never completed would be paid for without being seen.
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

/** Hands on parts of exactly this size one after the other, and what is left at the end: some storages (R2) take no others. */
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
