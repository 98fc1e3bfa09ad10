import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { Readable, Transform, type TransformCallback } from 'node:stream'

// A sealed backup is a header ("TWSB", a version, the first 8 bytes of the key's SHA-256, 7 random
// bytes), then chunks of 64 KB, each encrypted with AES-256-GCM and a tag of 16 bytes. The nonce is
// those 7 bytes, the chunk's number in 4 bytes, and 1 for the last chunk else 0. So chunks cannot
// be left out, reordered or cut off (the STREAM construction:
// Hoang, Reyhanitabar, Rogaway and Vizár, 2015). Each tag also covers the header.
const magic = Buffer.from('TWSB\u0001', 'latin1'),
  keyNameBytes = 8,
  prefixBytes = 7,
  tagBytes = 16
const headerBytes = magic.length + keyNameBytes + prefixBytes
const chunkBytes = 65_536
const nameOf = (key: Uint8Array): Buffer =>
  createHash('sha256').update(key).digest().subarray(0, keyNameBytes)

function nonceOf(prefix: Buffer, chunk: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  prefix.copy(nonce)
  nonce.writeUInt32BE(chunk, prefixBytes)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

/** A stream that encrypts its input with this key of 32 bytes. */
export function sealing(key: Uint8Array): Transform {
  const header = Buffer.concat([magic, nameOf(key), randomBytes(prefixBytes)]),
    prefix = header.subarray(-prefixBytes)
  let chunk = 0
  const seal = (part: Buffer, isLast: boolean): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(prefix, chunk++, isLast)).setAAD(
      header,
    )
    return Buffer.concat([cipher.update(part), cipher.final(), cipher.getAuthTag()])
  }
  const inChunks = chunked(chunkBytes, (part, isLast) => seal(part, isLast))
  inChunks.push(header)
  return inChunks
}

const isSealed = (beginning: Uint8Array): boolean =>
  Buffer.from(beginning.subarray(0, magic.length)).equals(magic)

/**
 * Returns a backup decrypted, if it was sealed. Fails like `unsealing`. Fails at once when no key
 * fits, or when the backup is not sealed but `mustBeSealed`: anyone who can write to the storage
 * could have made it.
 */
export async function opened(
  bytes: AsyncIterable<Buffer>,
  keys: readonly Uint8Array[],
  { mustBeSealed = false } = {},
): Promise<Readable> {
  const parts = bytes[Symbol.asyncIterator]()
  let beginning = Buffer.alloc(0),
    next = await parts.next()
  for (; !next.done && beginning.length < headerBytes; next = await parts.next())
    beginning = Buffer.concat([beginning, next.value])
  async function* all(): AsyncGenerator<Buffer> {
    yield beginning
    for (; !next.done; next = await parts.next()) yield next.value
  }
  if (mustBeSealed && !isSealed(beginning))
    throw new Error(
      'This backup is not sealed, so nobody can know who made it. If you trust it, set BACKUP_SEAL=off for this restore, and give the file a name that does not end in .sealed.',
    )
  const whole = Readable.from(all(), { objectMode: false })
  if (!isSealed(beginning)) return whole
  if (beginning.length >= headerBytes) keyFor(beginning, keys)
  const through = unsealing(keys)
  // The reader gets the error. Until there is a reader, it must not count as unhandled.
  through.on('error', () => {})
  whole.once('error', error => through.destroy(error))
  return whole.pipe(through)
}

/**
 * A stream that decrypts what `sealing` made with one of these keys. Fails with a plain message
 * when no key fits, or when the file was changed or is incomplete. Then the output so far must not
 * be used.
 */
export function unsealing(keys: readonly Uint8Array[]): Transform {
  let header: Buffer | null = null,
    key: Uint8Array | undefined,
    chunk = 0,
    waiting = Buffer.alloc(0)
  const open = (sealed: Buffer, isLast: boolean): Buffer => {
    if (sealed.length < tagBytes) throw new Error(notWhole)
    const decipher = createDecipheriv(
      'aes-256-gcm',
      key!,
      nonceOf(header!.subarray(-prefixBytes), chunk++, isLast),
    )
      .setAAD(header!)
      .setAuthTag(sealed.subarray(-tagBytes))
    try {
      return Buffer.concat([decipher.update(sealed.subarray(0, -tagBytes)), decipher.final()])
    } catch {
      throw new Error(notWhole)
    }
  }
  const inChunks = chunked(chunkBytes + tagBytes, open)
  const begin = (part: Buffer): Buffer => {
    waiting = Buffer.concat([waiting, part])
    if (waiting.length < headerBytes) return Buffer.alloc(0)
    header = waiting.subarray(0, headerBytes)
    if (!isSealed(header)) throw new Error('This is no sealed backup of Twinshelf.')
    key = keyFor(header, keys)
    return waiting.subarray(headerBytes)
  }
  const transform = inChunks._transform.bind(inChunks),
    flush = inChunks._flush.bind(inChunks)
  inChunks._transform = (part: Buffer, encoding, done) => {
    if (header) return transform(part, encoding, done)
    try {
      const rest = begin(part)
      if (rest.length === 0) done()
      else transform(rest, encoding, done)
    } catch (error) {
      done(error as Error)
    }
  }
  inChunks._flush = done => (header ? flush(done) : done(new Error(notWhole)))
  return inChunks
}

function keyFor(header: Uint8Array, keys: readonly Uint8Array[]): Uint8Array {
  const key = keys.find(each =>
    nameOf(each).equals(header.subarray(magic.length, magic.length + keyNameBytes)),
  )
  if (!key) throw new Error('This backup was sealed with a secret that is not among SECRETS.')
  return key
}

const notWhole = 'This sealed backup was changed or is not whole.'

/**
 * Passes parts of exactly `size` bytes to `change`. The last part, which may be shorter or empty,
 * is marked with `isLast`.
 */
function chunked(size: number, change: (part: Buffer, isLast: boolean) => Buffer): Transform {
  let held: Buffer[] = [],
    length = 0
  const take = (parts: Buffer): Buffer => {
    held = [parts.subarray(size)]
    length = held[0]!.length
    return parts.subarray(0, size)
  }
  return new Transform({
    transform(part: Buffer, _, done: TransformCallback) {
      try {
        held.push(part)
        length += part.length
        // Keep one part back, because it may be the last.
        for (const isLong = () => length > size; isLong();)
          this.push(change(take(Buffer.concat(held)), false))
        done()
      } catch (error) {
        done(error as Error)
      }
    },
    flush(done: TransformCallback) {
      try {
        this.push(change(Buffer.concat(held), true))
        done()
      } catch (error) {
        done(error as Error)
      }
    },
  })
}
